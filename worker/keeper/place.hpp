// Makes a room's things on the machine before its game starts: folders, files, the socket of its
// keeper and the control group with its limits.
//
// The keeper does this instead of the worker: each call may block on a busy disk or on the kernel's
// lock of all control groups. Fault model: the disk is full or a folder cannot be made. Then there
// is no game. A missing control group or limit is told and costs no game its room.
// Thread rule: free functions. Bounds: see the plan. Errors: in words.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "worker/keeper/plan.hpp"

namespace fixkeep::worker::keeper {

// Makes folders and files. Returns the mistake; empty: they are there.
[[nodiscard]] std::string make_place(const Plan& plan);
// Removes the game's own folder as the game's user.
void remove_own_folder(const Plan& plan);
// Removes the whole folder; the game's files as the game's user. False: something is left.
// REQUIRES: nothing of the room runs.
bool remove_place(const std::string& folder);

// Returns a non-blocking socket that listens in the room's folder (RoomFiles::control()).
[[nodiscard]] Result<int> listen_in(const std::string& folder);
// Returns a socket that connects to it; see listen_in().
[[nodiscard]] Result<int> connect_in(const std::string& folder);

// The record tells a worker that was not there how the game ended. A disk that fails loses it.
void write_record(const std::string& path, const std::string& bytes);

// Receives the problem, the thing concerned and the reason.
using Complain =
    std::function<void(const std::string& what, const std::string& which, const std::string& why)>;
// Makes the folders of the plan's control group and sets its limits. The plan keeps the folders
// that were made.
void make_cgroup(Plan& plan, const Complain& complain);

// Writes a file that only the worker may read. It is the new file or the old one at any moment.
// Errors: system errors.
[[nodiscard]] Result<void> write_whole(const std::string& path, std::string_view text);

}  // namespace fixkeep::worker::keeper
