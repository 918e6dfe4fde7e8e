// The timeline contains the history of every room of a run, and the number of rooms at each moment.
// The events of all nodes give exact times. A master's list of rooms would show only the state at
// its last poll.
//
// Fault model: as in collisions.hpp. A crashed worker reports nothing more about its rooms.
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

// A room that was made. Times are in ms after the start of the run; `never`: not in the run.
struct RoomLife {
  GroupKey group;
  CreationId creation;
  std::string master;  // sender of the order; empty: no known order
  WorkerId worker;
  double ordered_ms = never;
  double starting_ms = never;
  double open_ms = never;
  double closed_ms = never;
  bool collided = false;
  std::optional<CreationId> other = {};  // if the order collided: the room with the free seats
};

struct Timeline {
  std::vector<RoomLife> rooms;    // sorted by time of order
  std::vector<CurvePoint> curve;  // x: ms after the start, y: starting and open rooms from then on
  double end_ms = 0;              // end of the run
};

struct RunSpan {
  events::EventTime began;  // start of the run by the clock of the nodes
  double end_ms = 0;        // ms after `began`; later events are left out
};

// REQUIRES: `seen` is sorted by time. `bill` was made from `seen`.
[[nodiscard]] Timeline tell_timeline(const std::vector<events::Event>& seen,
                                     const CollisionBill& bill, const RunSpan& span);

[[nodiscard]] double ms_after(events::EventTime began, events::EventTime at);

}  // namespace fixkeep::client_sim
