// A claim of a pool, as seen by the master that received its request.
//
// Thread rule: a view of the core, valid until its next event. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/rooms.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {

struct PoolClaim {
  const GroupKey& pool;
  const ModeName& mode;
  const plan::Rules& rules;
  std::size_t requests = 0;  // this master's waiting requests in the pool, of every kind
  std::uint64_t number = 0;  // tickets of one claim have one number
  const wire::Claim& claim;
  TimePoint since;
  // The next decision plans for the claim. False: the claim waits for a starting room or for its
  // player's present seat.
  bool undecided = false;
};

}  // namespace fixkeep::master
