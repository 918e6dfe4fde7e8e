// OrderLog writes the log lines about masters' orders: refused orders at level info, claims for
// seats and their results at level debug. RoomLog writes the lines about the rooms that orders
// make. Each line names the request by the master's request id.
//
// Thread rule: the shell's thread. Bounds: 10 lines a second for refusals of one reason. Errors:
// none.
#pragma once

#include "common/base/time.hpp"
#include "common/obs/log_limit.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker {

class OrderLog {
 public:
  // REQUIRES: `answer` is the kind of answer that belongs to `order`, as in SendToMaster.
  void answered(const wire::Order& order, const wire::Report& answer, TimePoint now);

 private:
  void refused(const wire::SpawnRoom& order, wire::SpawnOutcome outcome, TimePoint now);

  obs::LogLimit refusals_{{.burst = 10}};
};

}  // namespace fixkeep::worker
