// The starter of a worker: forks a keeper for each ordered room.
//
// A keeper is a fork of this process: it was executed once and has only the memory that a keeper
// needs. The alternative is to execute the program for each room. It costs several times as much.
// An order is a packet with descriptors: the plan as a memory file, the worker's connection to the
// keeper, the file of the room's note (with `with_note`) and the room's listening sockets. The
// keeper names its process on that connection. The starter reports only a failed fork.
//
// Invariants: 1. No part of an order stays in this process: no room gets another's.
//             2. Until its keeper says a word, an order has changed nothing.
// Fault model: if the worker ends, the starter ends too. Keepers go on. If the starter is killed,
// orders that it has not read end with their connections. The worker starts another starter. Thread
// rule: a process without threads. Bounds: one order at a time; `most_listeners` sockets. Errors: a
// malformed order is dropped with its descriptors and thus loses its connection.
#pragma once

#include <string_view>

namespace fixkeep::worker::keeper {

// An order says one of these.
inline constexpr std::string_view without_note = "o";
inline constexpr std::string_view with_note = "n";

// The descriptor on which a starter gets its orders.
inline constexpr int starter_descriptor = 3;

// Runs until the worker's connection ends. Returns the exit code of the process.
[[nodiscard]] int run_starter(int worker);

}  // namespace fixkeep::worker::keeper
