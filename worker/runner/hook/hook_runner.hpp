// Rooms that a service runs anywhere: commands of the studio start, end and list them.
//
// The start's first line of output is "HOST PORT [NAME=PORT ...]". If it exits with 0, the room is
// placed and begun. Otherwise it has not started. The last line of its standard error is then the
// reason. The stop gets the name of the object as its last word. The list prints a line with the
// name for each running object. FIXKEEP_OBJECT is that name except for the list. FIXKEEP_STOP is
// "ask" or "kill" for the stop.
//
// Fault model: hook_rooms.hpp. Launch::alone means nothing here: the service does not watch the
// worker. Rooms of a killed worker go on until its next run adopts or ends them.
// Thread rule: as GameRunner. Bounds: see HookOptions and HookCommands; a record of some kilobytes
// for each object. Errors: in the words of GameEnd.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/hook/hook_rooms.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_hook_runner(boost::asio::io_context& context,
                                                           const RunnerOptions& options);
// For tests with shorter intervals.
[[nodiscard]] std::shared_ptr<GameRunner> make_hook_runner_with(boost::asio::io_context& context,
                                                                const RunnerOptions& options,
                                                                const HookOptions& hook);

}  // namespace fixkeep::worker
