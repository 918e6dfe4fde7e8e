// Rooms that a service runs anywhere. The studio's commands start, end and list them.
//
// The first output line of the start command is "HOST PORT [NAME=PORT ...]". If the command exits
// with 0, the room is placed and begun. Otherwise the room has not started, and the last line of
// the command's standard error is the reason. The last argument of the stop command is the object's
// name. The list command prints one line for each running object: its name. FIXKEEP_OBJECT is the
// object's name for the start and the stop. FIXKEEP_STOP is "ask" or "kill" for the stop.
//
// Fault model: hook_rooms.hpp. Launch::alone has no effect here because the service does not watch
// the worker. Rooms of a killed worker continue until its next run adopts or ends them.
// Thread rule: as GameRunner. Bounds: see HookOptions and HookCommands; a record of a few kilobytes
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
// Allows tests with shorter intervals.
[[nodiscard]] std::shared_ptr<GameRunner> make_hook_runner_with(boost::asio::io_context& context,
                                                                const RunnerOptions& options,
                                                                const HookOptions& hook);

}  // namespace fixkeep::worker
