// Which rooms to order for the waiting claims, and on which workers.
//
// Claims are packed first-fit in their order, so n claims of one player fill exactly ⌈n/c⌉ rooms.
// Each room goes to a worker with headroom: first to the zone with the fewest rooms of the group
// (those just planned included), then to the worker with the most headroom left, then by id. A
// worker on which a room of one of the claims has just failed to boot is taken last.
//
// Pure and deterministic. Thread rule: free functions. Errors: fewer rooms than needed if headroom
// runs out; the claims of the missing rooms are in no room.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::master {

struct SpawnClaim {
  std::uint32_t seats = 1;
  std::size_t bytes = 0;  // about what the claim adds to a message
  WorkerId avoid;         // empty: none
};

struct SpawnWorker {
  WorkerId id;
  ZoneName zone;
  std::uint32_t headroom = 0;     // for rooms of the group's mode; 0: not a candidate
  std::uint32_t group_rooms = 0;  // rooms of the group that it has already
};

struct PlannedRoom {
  WorkerId worker;
  std::vector<std::size_t> claims;  // indices, ascending: the room is born with these
};

struct SpawnLimits {
  std::uint32_t capacity = 1;
  std::size_t claims = 4096;      // in one order
  std::size_t bytes = 1U << 20U;  // of claims in one order
};

// A room whose claims do not fit one order takes the others by SeatRequest once it exists: they are
// in no planned room, and no other room is planned for them.
[[nodiscard]] std::vector<PlannedRoom> plan_spawns(const std::vector<SpawnClaim>& claims,
                                                   const std::vector<SpawnWorker>& workers,
                                                   const SpawnLimits& limits);

}  // namespace fixkeep::master
