// The starter of a worker: forks a keeper for each room that it is told of.
//
// A keeper is a fork of this process, which was executed once and has no other memory than a keeper
// needs; to execute the program for each room, the alternative, costs several times as much. An
// order is a packet with descriptors: the plan as a file in memory, the worker's connection to the
// keeper, with `with_note` the file of the room's note, and the room's listening sockets. The
// keeper names its process on that connection; the starter says nothing, but that it cannot fork.
//
// Invariants: 1. nothing of an order stays in this process, so no room gets what is another's.
//             2. an order of which its keeper has said no word yet has changed nothing.
// Fault model: the worker ends, and so does the starter then; keepers go on. The starter is killed:
// orders that it has not looked at end with their connections, and the worker starts another one.
// Thread rule: a process without threads. Bounds: one order at a time, `most_listeners` sockets.
// Errors: an order that is none is dropped with its descriptors, which ends its connection.
#pragma once

#include <string_view>

namespace fixkeep::worker::keeper {

// An order says one of these.
inline constexpr std::string_view without_note = "o";
inline constexpr std::string_view with_note = "n";

// Where a starter finds the socket on which it is told.
inline constexpr int starter_descriptor = 3;

// Until the worker's connection ends. The exit code of the process.
[[nodiscard]] int run_starter(int worker);

}  // namespace fixkeep::worker::keeper
