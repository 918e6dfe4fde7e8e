// Runs games as rooms of a service anywhere. The studio's commands start, stop and list them.
//
// The first output line of the start command is "HOST PORT [NAME=PORT ...]". If the command exits
// with 0, the room is placed and begun. Otherwise the room has not started, and the last line of
// the command's standard error is the reason. The last argument of the stop command is the object's
// name. The list command prints the name of each running object, one name a line. Start and stop
// get the object's name in FIXKEEP_OBJECT. The stop gets "ask" or "kill" in FIXKEEP_STOP.
//
// Commands answer late, wrongly or never. Answers may be lost. Therefore only a list shows the
// results of commands. A list shows the result of an event only if the list began after the event.
// Before a start, a list has to show that the name is free. After a stop, a list has to show that
// the room is gone. A failed start may make its room later, so the object is stopped like a running
// room. A failed list proves nothing. EngineRunner decides about each object
// (engine/engine_runner.hpp).
//
// Invariants: 1. An object is started only once, and only after a list that does not contain it.
//             2. A room has ended when a list does not contain its object. Services are slow to
//                list new rooms, so two lists in a row are needed as long as the room is wanted.
//             3. The record of an object is written before its start. It remains as long as the
//                object may exist.
// Fault model: any command fails, hangs until it is killed, or is killed with the worker. A start
// that was given up may make its room later. So for the time `remembered`, the engine looks for the
// room's name in lists, and stops the room. Launch::alone has no effect here because the service
// does not watch the worker. Rooms of a killed worker continue until its next run adopts or ends
// them. Thread rule: see GameRunner. Bounds: the rooms of the worker; `most_remembered` starts that
// were given up; `at_once` commands and one list of each kind; a record of a few kilobytes for each
// object. Errors: described in GameEnd::how.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>

#include "common/base/time.hpp"
#include "common/config/fields.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/hook/hook_commands.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

struct HookOptions {
  std::size_t at_once = 8;
  Duration look_every = std::chrono::seconds{2};  // interval of looks while no end is requested
  Duration look_for_the_end_every = std::chrono::milliseconds{500};  // after a request to end
  Duration first_pause = std::chrono::milliseconds{100};  // before a repeated stop or list
  Duration longest_pause = std::chrono::seconds{30};
  Duration remembered = std::chrono::minutes{10};
  std::size_t most_remembered = 1000;
  // Runs the commands instead of HookCommands. Empty except in tests.
  std::function<void(const HookCommand& command, HookCommands::Done done)> run{};
};

[[nodiscard]] std::shared_ptr<GameRunner> make_hook_runner(boost::asio::io_context& context,
                                                           const RunnerOptions& options,
                                                           const HookOptions& hook = {});

void describe_hook(config::Fields& fields, Launch& launch);  // the key `hook`

}  // namespace fixkeep::worker
