// The last word of a keeper is read here, and told in the terms and in the words of a worker.
// Thread rule: free functions. Bounds: a packet. Errors: a record that cannot be read is none.
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
// The second in which this machine was started, by the clock of its files.
[[nodiscard]] std::time_t machine_started();
// Makes the end of a room that has neither a keeper nor a record.
[[nodiscard]] GameEnd nobody_knows(const RoomFiles& files, std::time_t started = machine_started());
// A keeper removes the room's folder unless it is to be kept. One that was killed has not.
[[nodiscard]] bool nothing_is_kept(const GameEnd& end, const Launch& launch);
[[nodiscard]] RoomShell::CommandEnd command_end(const keeper::Packet& ran);

}  // namespace fixkeep::worker
