// MasterLog writes log lines and spans about a master's locks, orders with their rooms, and workers
// in quarantine. It writes nothing about match requests.
//
// Rare events have one line at level info: a lock granted, a room ordered, an order refused, a room
// opened or failed. Requests for seats are frequent, so they are at level debug. Lines about an
// order name the request that caused it. MasterLog stores nothing about orders: an action contains
// all data for its line.
// Thread rule: the master's thread. Bounds: 10 lines per second for refusals of one reason.
// Errors: none.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/obs/log_limit.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/seam/events.hpp"
#include "master/http/match/match_spans.hpp"

namespace fixkeep::master {

class MasterLog {
 public:
  // An order's span is a child of the causing request's span. It begins with the order, and ends
  // when the room has opened or failed or the order is refused.
  explicit MasterLog(SpanOptions spans) : spans_(std::move(spans)), ids_(spans_.seed) {}

  static void taken(const LockTaken& lock);
  static void modes_wait(const std::vector<MasterId>& missing);
  static void modes_in_effect();
  static void lock_server(std::string_view strategy, bool ready);
  // A request for seats has no line if the directory does not know the worker.
  static void sends(const SendToWorker& action, const Directory& directory);
  void done(const OrderDone& order, TimePoint now);

  static void quarantined(const Quarantine::Stay& stay, TimePoint now);
  static void tried_again(const Quarantine::Stay& stay);

 private:
  void trace(const OrderDone& order, TimePoint now);

  SpanOptions spans_;
  obs::SpanIds ids_;
  obs::LogLimit refusals_{{.burst = 10}};
};

}  // namespace fixkeep::master
