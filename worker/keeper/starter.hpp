// The starter of a worker forks a keeper for each ordered room.
//
// A keeper is a fork of this process, which has only the memory that a keeper needs. To execute a
// program for each room would cost several times as much. An order is a packet with descriptors:
// the plan as a memory file, the worker's connection to the keeper, the file of the room's note
// (with `with_note`) and the room's listening sockets. The keeper reports its process on this
// connection. The starter reports only a failed fork.
//
// Invariants: 1. No part of an order stays in this process, so no room gets parts of another room's
//                order.
//             2. An order has changed nothing before its keeper sends its first packet.
// Fault model: if the worker ends, the starter ends too. Keepers continue. If the starter is
// killed, the connections of its unread orders are closed. The worker starts a new starter.
// Thread rule: a process without threads. Bounds: one order at a time; `most_listeners` sockets.
// Errors: a malformed order is dropped with its descriptors, so its connection is closed.
#pragma once

#include <string_view>

namespace fixkeep::worker::keeper {

// An order's text is one of these.
inline constexpr std::string_view without_note = "o";
inline constexpr std::string_view with_note = "n";

// The descriptor of the connection that brings orders to a starter.
inline constexpr int starter_descriptor = 3;

// Runs until the worker's connection ends. Returns the exit code of the process.
[[nodiscard]] int run_starter(int worker);

}  // namespace fixkeep::worker::keeper
