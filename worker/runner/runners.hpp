// All runners by name. A new runner needs a folder and one line in runners.cpp.
// Thread rule: free functions. Bounds: none. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/config/fields.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

struct RunnerKind {
  // A key of games[] that the runner needs to start a game, and the error text if the key is empty.
  struct Needed {
    std::string_view key;
    std::string_view sentence;
  };

  std::string_view name;
  // Makes the runner. The io_context outlives it.
  std::shared_ptr<GameRunner> (*make)(boost::asio::io_context& context,
                                      const RunnerOptions& options);
  // Describes the keys of games[] that are for this runner.
  void (*describe)(config::Fields& fields, Launch& launch);
  std::span<const Needed> needed;
  // Makes more checks of the entry of `games` at `key`. Null: no more checks.
  void (*check)(const config::Document& document, const std::string& key,
                config::Problems& problems) = nullptr;
  bool runs_commands = false;  // RoomShell: commands beside a game
  bool keeps_output = false;   // RoomOutputs
  bool is_local = false;       // LocalRooms: games are processes of this machine
  bool wants_ports = false;    // GameRunner::Traits::wants_ports
  bool has_sdk = false;        // the engine's own SDK, reported by GameRunner::Handlers
};

[[nodiscard]] std::span<const RunnerKind> all_runners();

// Returns null if there is no runner with that name.
[[nodiscard]] const RunnerKind* find_runner(std::string_view name);

}  // namespace fixkeep::worker
