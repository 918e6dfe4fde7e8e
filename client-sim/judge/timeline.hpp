// The timeline tells what became of every room of a run and how many there were at each moment.
// Events of all nodes give true times. A master's list of rooms is only as fresh as its last poll.
//
// Fault model: that of collisions.hpp; a worker that crashed says no more of its rooms.
// Thread rule: values and a pure function. Bounds: E events are read once in O(E log rooms).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client-sim/judge/collisions.hpp"
#include "client-sim/load/observation.hpp"
#include "common/base/percentiles.hpp"
#include "common/events/event.hpp"

namespace fixkeep::client_sim {

// A room that was made. Times are milliseconds after the start of the run; `never`: not in the run.
struct RoomLife {
  GroupKey group;
  CreationId creation;
  std::string master;  // the orderer; empty: no known order
  WorkerId worker;
  double ordered_ms = never;
  double starting_ms = never;
  double open_ms = never;
  double closed_ms = never;
  bool collided = false;
  std::optional<CreationId> other = {};  // if it collided, whose room had the seats
};

struct Timeline {
  std::vector<RoomLife> rooms;    // by the time of their order
  std::vector<CurvePoint> curve;  // x: ms after the start, y: rooms from then on, starting or open
  double end_ms = 0;              // end of the run
};

struct RunSpan {
  events::EventTime began;  // by the clock of the nodes
  double end_ms = 0;        // after that; what happens later is not told
};

// REQUIRES: `seen` is ordered by time; `bill` was made of it.
[[nodiscard]] Timeline tell_timeline(const std::vector<events::Event>& seen,
                                     const CollisionBill& bill, const RunSpan& span);

[[nodiscard]] double ms_after(events::EventTime began, events::EventTime at);

}  // namespace fixkeep::client_sim
