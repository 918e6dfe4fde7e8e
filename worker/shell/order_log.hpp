// OrderLog writes the lines of a worker's log about the orders of masters: an order that is
// refused, at info, and each claim that asks for seats, with what became of it, at debug. A room
// that an order makes is RoomLog's to tell of. Lines name the request as its master knows it.
//
// Thread rule: the shell's thread. Bounds: 10 lines a second for refusals of one reason.
// Errors: none.
#pragma once

#include "common/base/time.hpp"
#include "common/obs/log_limit.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker {

class OrderLog {
 public:
  // REQUIRES: the answer is of the order's kind, as SendToMaster has the two.
  void answered(const wire::Order& order, const wire::Report& answer, TimePoint now);

 private:
  void refused(const wire::SpawnRoom& order, wire::SpawnOutcome outcome, TimePoint now);

  obs::LogLimit refusals_{{.burst = 10}};
};

}  // namespace fixkeep::worker
