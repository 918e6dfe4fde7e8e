// The parts of a MasterCore: each part uses only parts that are declared before it.
//
// Thread rule: one owner; the object does not move. Bounds, errors: those of the parts.
#pragma once

#include <set>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "lock/core/lock_table.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/claims/lost_seats.hpp"
#include "master/core/claims/requests.hpp"
#include "master/core/claims/room_budget.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/directory/room_results.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/groups/questions.hpp"
#include "master/core/hold/awaited_workers.hpp"
#include "master/core/links/modes_agreement.hpp"
#include "master/core/links/worker_links.hpp"
#include "master/core/orders/holds.hpp"
#include "master/core/orders/out_of_sight.hpp"
#include "master/core/orders/pool_orders.hpp"
#include "master/core/orders/room_orders.hpp"
#include "master/core/orders/warm_pools.hpp"
#include "master/core/pools/lending.hpp"
#include "master/core/recorder.hpp"
#include "master/core/seam/step.hpp"
#include "master/core/seats/leaves.hpp"
#include "master/core/seats/seat_need.hpp"
#include "master/core/seats/seat_requests.hpp"
#include "master/core/seats/seating.hpp"

namespace fixkeep::master {

struct MasterParts {
  MasterParts(const MasterOptions& chosen, TimePoint now)
      : options(chosen),
        directory(options.placement, PlayerHasher{options.player_key}),
        awaited({options.await_workers, options.locks.join_grace, options.worker_reply}, now),
        out_of_sight(options.out_of_sight),
        groups({options.self, options.hold(), options.locks.join_grace}),
        locks(options.locks, now),
        recorder(groups, need, options.record_events) {}

  MasterOptions options;  // only its modes change
  MasterCounters counters;
  Directory directory;
  RoomResults results;
  AwaitedWorkers awaited;
  OutOfSight out_of_sight;
  Quarantine quarantine;
  GroupTable groups;
  Questions questions;
  Claims claims{groups, PlayerHasher{options.player_key}};
  RoomBudget budget{options.rooms_per_client_per_minute};
  LostSeats lost_seats{directory, claims};
  Requests requests{options, directory, groups, claims, lost_seats, budget, counters};
  Seating seating{options, directory, groups, claims, requests};
  Leaves leaves{directory};
  SeatRequests seat_requests{options, directory, claims, questions, seating, counters};
  SeatNeed need{claims, questions, directory};
  WarmPools warm{options, directory, groups};
  RoomOrders room_orders{options, directory, groups,   claims, need,
                         warm,    questions, requests, budget, counters};
  Lending lending{directory, groups, claims, seating, lost_seats};
  PoolOrders pools{options,     directory, groups,     claims,  questions,
                   room_orders, lending,   lost_seats, counters};
  Holds holds{options,      directory,   groups,  need,  questions, awaited,
              out_of_sight, room_orders, lending, pools, counters};
  WorkerLinks links{
      options,
      {directory, groups, claims, questions, awaited, out_of_sight, quarantine, seating, lost_seats,
       leaves, seat_requests, holds, warm, lending, pools, counters, results}};

  lock::LockTable locks;
  std::set<MasterId> peers;  // connected masters
  ModesAgreement modes{options.modes.hash};
  CoreModes modes_read;  // the modes that were read last
  Recorder recorder;
};

}  // namespace fixkeep::master
