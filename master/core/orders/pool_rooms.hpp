// Converts a pool's rooms, and the zones where more rooms can start, into the values that a plan
// needs. A region of the rules is a zone of workers.
//
// Thread rule: free functions. Bounds: plan::rooms_most. Errors: a room is left out if it is in no
// region of the rules or has a player with unknown values.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "common/base/ids.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master {

// Returns the rooms that accept new players. `ids` lists their ids, indexed by plan::Room::id.
// REQUIRES: a pool.
[[nodiscard]] std::vector<plan::Room> rooms_of(const Group& pool, const Directory& directory,
                                               std::vector<RoomId>& ids);

// Regions of the rules that have workers for the mode; bit r: region r. If no region is open, a
// plan uses all regions. Its orders then fail, and the claims are refused with
// Refusal::no_capacity.
struct Regions {
  std::uint32_t open = 0;  // regions where a room can start now
  std::uint32_t full = 0;
};
// `open`: RoomOrders::open_zones(). REQUIRES: a pool.
[[nodiscard]] Regions regions_of(const Group& pool, const Directory& directory,
                                 const std::set<ZoneName>& open);

}  // namespace fixkeep::master
