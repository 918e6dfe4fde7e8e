// Converts a keeper's last packet, or the copy of this packet on disk (the record), into the end of
// a game.
// Thread rule: free functions. Bounds: a packet. Errors: an unreadable record gives nullopt.
#pragma once

#include <ctime>
#include <optional>
#include <string>

#include "worker/keeper/protocol.hpp"
#include "worker/keeper/room_files.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/launch.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::optional<keeper::Packet> read_record(const std::string& path);
[[nodiscard]] GameEnd game_end(const keeper::Packet& last, const Launch& launch);
// Returns the time at which this machine started, by the clock that dates its files.
[[nodiscard]] std::time_t machine_started();
// Returns the end of a room that has neither a keeper nor a record.
[[nodiscard]] GameEnd nobody_knows(const RoomFiles& files, std::time_t started = machine_started());
// Says whether the folder of a killed keeper's room must be removed: the keeper could not do so.
[[nodiscard]] bool nothing_is_kept(const GameEnd& end, const Launch& launch);
[[nodiscard]] RoomShell::CommandEnd command_end(const keeper::Packet& ran);

}  // namespace fixkeep::worker
