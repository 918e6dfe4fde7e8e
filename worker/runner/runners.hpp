// All runners by name. A new runner needs a folder and one line in runners.cpp.
// Thread rule: free functions. Bounds: none. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

// Tells a configuration which keys it may use with a runner. The worker itself asks the GameRunner.
struct RunnerKind {
  std::string_view name;
  // Makes the runner. The io_context outlives it.
  std::shared_ptr<GameRunner> (*make)(boost::asio::io_context& context,
                                      const RunnerOptions& options);
  // The key of games[] that describes a game to the runner: command, container, hook, pod or
  // fleets.
  std::string_view described_by = "command";
  bool runs_commands = false;  // RoomShell: commands beside a game
  bool keeps_output = false;   // RoomOutputs
  bool is_local = false;       // LocalRooms: games are processes of this machine
  bool wants_ports = false;    // GameRunner::Traits::wants_ports
  bool has_sdk = false;        // the engine's own SDK, reported by GameRunner::Handlers
};

[[nodiscard]] std::span<const RunnerKind> all_runners();

// Names the runners with games that this key describes: "docker or podman".
[[nodiscard]] std::string runners_described_by(std::string_view key);

// Returns null if there is no runner with that name.
[[nodiscard]] const RunnerKind* find_runner(std::string_view name);

}  // namespace fixkeep::worker
