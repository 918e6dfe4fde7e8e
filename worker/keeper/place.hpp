// Prepares the machine for a room before its game starts: folders, files, the keeper's socket, and
// the control group with its limits.
//
// The keeper does this work, not the worker: each call can block on a busy disk or on the kernel's
// lock of all control groups. Fault model: if the disk is full or a folder cannot be made, no game
// starts. Without a control group or limit, the game starts and the problem is reported.
// Thread rule: free functions. Bounds: see the plan. Errors: as text.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "worker/keeper/plan.hpp"

namespace fixkeep::worker::keeper {

// Makes folders and files. Returns the mistake, or an empty text on success.
[[nodiscard]] std::string make_place(const Plan& plan);
// Removes the game's own folder as the game's user.
void remove_own_folder(const Plan& plan);
// Removes the room's folder. Removes the game's files as the game's user. Returns false if
// something is left. REQUIRES: nothing of the room runs.
bool remove_place(const std::string& folder);

// Returns a non-blocking socket that listens in the room's folder (RoomFiles::control()).
[[nodiscard]] Result<int> listen_in(const std::string& folder);
// Returns a socket that is connected to the socket of listen_in().
[[nodiscard]] Result<int> connect_in(const std::string& folder);

// Writes the record, which tells a later worker how the game ended. If the disk fails, the record
// is lost.
void write_record(const std::string& path, const std::string& bytes);

// The parameters are the problem, the object concerned and the reason.
using Complain =
    std::function<void(const std::string& what, const std::string& which, const std::string& why)>;
// Makes the folders of the plan's control group and sets its limits. Only folders that were made
// stay in the plan.
void make_cgroup(Plan& plan, const Complain& complain);

// Writes a file that only the worker may read. At any moment, the content of the file is the
// complete old content or the complete new content.
// Errors: system errors.
[[nodiscard]] Result<void> write_whole(const std::string& path, std::string_view text);

}  // namespace fixkeep::worker::keeper
