// All runners by name. A new one is its folder and one line in runners.cpp.
// Thread rule: free functions. Bounds: none. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string_view>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

// The keys that a configuration may use with a runner; the worker asks the runner's own pointers.
struct RunnerKind {
  std::string_view name;
  // The io_context outlives it.
  std::shared_ptr<GameRunner> (*make)(boost::asio::io_context& context,
                                      const RunnerOptions& options);
  bool runs_commands = false;  // beside a game: RoomShell
  bool keeps_output = false;   // RoomOutputs
  bool is_local = false;       // LocalRooms: games are processes of this machine
  bool wants_ports = false;    // GameRunner::Traits::wants_ports
  bool has_sdk = false;        // the engine's own, heard by GameRunner::Handlers
};

// Null if there is no runner of that name.
[[nodiscard]] const RunnerKind* find_runner(std::string_view name);

}  // namespace fixkeep::worker
