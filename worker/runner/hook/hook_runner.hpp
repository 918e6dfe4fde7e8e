// Rooms that somebody else runs, wherever that is: commands of the studio start, end and list them.
//
// The start's first line of output is "HOST PORT [NAME=PORT ...]"; if it exits with 0 the room is
// placed and begun, else it has not started, for the reason that the last line of its standard
// error gives. The stop gets the name of the object as its last word. The list prints the name of
// each object that runs, a line each. FIXKEEP_OBJECT is that name, for all but the list;
// FIXKEEP_STOP is "ask" or "kill" for the stop.
//
// Fault model: hook_rooms.hpp. Launch::alone means nothing here: nobody watches the worker for the
// service, so what a killed worker has started goes on until its next run adopts or ends it.
// Thread rule: as GameRunner. Bounds: those of HookOptions and of HookCommands; a record of some
// kilobytes for each object. Errors: in the words of GameEnd.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/hook/hook_rooms.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_hook_runner(boost::asio::io_context& context,
                                                           const RunnerOptions& options);
// For tests, which look more often.
[[nodiscard]] std::shared_ptr<GameRunner> make_hook_runner_with(boost::asio::io_context& context,
                                                                const RunnerOptions& options,
                                                                const HookOptions& hook);

}  // namespace fixkeep::worker
