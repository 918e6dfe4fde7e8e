// Reads a keeper's last word and tells it in a worker's terms and words.
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
// The second of this machine's start by the clock of its files.
[[nodiscard]] std::time_t machine_started();
// The end of a room that has neither a keeper nor a record.
[[nodiscard]] GameEnd nobody_knows(const RoomFiles& files, std::time_t started = machine_started());
// A keeper removes the room's folder unless it is kept. A killed keeper has not.
[[nodiscard]] bool nothing_is_kept(const GameEnd& end, const Launch& launch);
[[nodiscard]] RoomShell::CommandEnd command_end(const keeper::Packet& ran);

}  // namespace fixkeep::worker
