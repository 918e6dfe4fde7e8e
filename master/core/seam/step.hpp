// The step of a MasterCore for one event: its time and its actions.
//
// Thread rule: valid during the call.
#pragma once

#include "common/base/time.hpp"
#include "master/core/seam/events.hpp"
#include "master/core/seam/lock_orders.hpp"

namespace fixkeep::master {

struct Step {
  TimePoint now;
  Actions& out;
  LockOrders& locks;
};

}  // namespace fixkeep::master
