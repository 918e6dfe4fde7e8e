// One event on its way through a MasterCore: its time and the place for its actions.
//
// Thread rule: lives as long as the call.
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
