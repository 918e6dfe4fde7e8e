// One node of the simulated cluster: its core, what waits for it, and what it keeps beside the
// core.
//
// Thread rule: values of their cluster. Errors: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/node/event_queue.hpp"
#include "master/core/master_core.hpp"
#include "tests/sim/clock.hpp"
#include "tests/sim/inbox.hpp"
#include "tests/sim/machines.hpp"
#include "tests/sim/network.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::sim {

// A core whose timer is due at once, again and again, would hang a real node.
inline constexpr int ticks_at_once = 1'000;

// Every second room is at its worker's address.
[[nodiscard]] inline wire::RoomPlace place_of(RoomNumber room) {
  const auto number = room.number();
  wire::RoomPlace place = wire::at_port(static_cast<std::uint16_t>(1 + number % 60'000));
  if (number % 2 == 0) place.host = "host-" + std::to_string(number) + ".example";
  return place;
}

struct MasterNode {
  MasterId id;
  NodeIndex node = 0;
  Inbox inbox;
  NodeClock clock;
  Incarnation incarnation;
  std::optional<master::MasterCore> core;
  std::uint64_t tickets = 0;
  node::EventQueue<master::Event> queue;
  Backlog<master::Event> backlog;
  SimTime armed = never;
  int ticks_due = 0;                        // how often, without a pause, its timer was due at once
  TimePoint late_until = TimePoint::min();  // as NodeShell has it
};

struct Process {
  GroupKey group;
  bool ready = false;
  NewcomersWord word = NewcomersWord::none;
  std::optional<Wants> wants{};
  Duration waited{};           // for a processor, until it said last that it is well
  SimTime waits_from = never;  // again, until it says so the next time
};

// Of the games that a worker was told to start, those that it has not yet started.
struct Starts {
  std::deque<RoomNumber> queued;
  std::set<RoomNumber> under_way;
  std::uint64_t life = 0;  // of the worker
};

// What a worker is to do, and for what it says the connection that it knew when it said it.
struct Wanted {
  worker::Action action;
  net::LinkNumber link = net::LinkNumber::none;
};

// Two have the same id where the machine of one is a copy of the other's.
struct WorkerNode {
  WorkerId id;
  std::size_t index = 0;  // whose configuration it has
  NodeIndex node = 0;
  Inbox inbox;
  NodeClock clock;
  Incarnation incarnation;
  std::optional<worker::RoomHost> core;
  std::vector<wire::RoomInfo> rooms;        // after its last step, for all judges
  std::uint64_t changes = 0;                // of its rooms
  std::map<RoomNumber, Process> processes;  // also those that wait to be started
  RoomNumber newest_start;                  // that it was told to perform
  Starts starts;
  node::EventQueue<worker::Event> queue;
  Backlog<worker::Event> backlog;
  worker::Memory memory;                    // what its journal holds
  std::vector<Wanted> wanted;               // of the batch that runs, until the journal knows of it
  bool performs = false;                    // what a batch wants is performed now
  TimePoint epoch;                          // of its clock
  bool killed = false;                      // its games go on, and its next run finds them
  std::optional<std::uint64_t> dies_after;  // actions
  std::vector<worker::Event> missed;        // that games say again when there is a worker
  SimTime armed = never;
  int ticks_due = 0;
  TimePoint late_until = TimePoint::min();  // as NodeShell has it
};

}  // namespace fixkeep::sim
