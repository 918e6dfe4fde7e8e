// Makes what a room has on the machine before its game starts: its folders and files, the socket
// of its keeper, and its control group with the limits.
//
// The keeper does this and not the worker, since any of these calls may block for as long as a busy
// disk, or the kernel's lock of all control groups, wants.
// Fault model: the disk is full, or a folder cannot be made: then there is no game. A control group
// or a limit that cannot be had is told, and costs no game its room.
// Thread rule: free functions. Bounds: those of the plan. Errors: in words.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "worker/keeper/plan.hpp"

namespace fixkeep::worker::keeper {

// The text says what is wrong; empty: folders and files are there.
[[nodiscard]] std::string make_place(const Plan& plan);
// The game's own folder, as the game's user.
void remove_own_folder(const Plan& plan);
// All of it, and all that is in it, what is the game's as the game's user. False: something is
// left. REQUIRES: nothing of the room runs.
bool remove_place(const std::string& folder);

// A socket that listens in the room's folder, see RoomFiles::control(). It does not block.
[[nodiscard]] Result<int> listen_in(const std::string& folder);
// One that is connected to it, or would be; see listen_in().
[[nodiscard]] Result<int> connect_in(const std::string& folder);

// The record says how the game ended, for a worker that was not there. It is lost if the disk does
// not take it.
void write_record(const std::string& path, const std::string& bytes);

// It is told what was wrong, with what, and why.
using Complain =
    std::function<void(const std::string& what, const std::string& which, const std::string& why)>;
// Makes the folders of the plan's control group and sets its limits; leaves in the plan those that
// are there.
void make_cgroup(Plan& plan, const Complain& complain);

// A file for nobody but the worker: it is the new one or the one before, whatever happens
// meanwhile. Errors: those of the system.
[[nodiscard]] Result<void> write_whole(const std::string& path, std::string_view text);

}  // namespace fixkeep::worker::keeper
