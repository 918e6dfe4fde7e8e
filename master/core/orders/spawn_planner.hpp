// Plans the rooms to order for the waiting claims and their workers.
//
// Claims take seats in their order (plan/first_fit.hpp), so n claims of one player fill exactly
// ⌈n/c⌉ rooms. A claim that needs a room beyond SpawnLimits::rooms is left out. A claim that needs
// a room beyond its client's limit is refused. Neither keeps a claim from a room that others open.
// Each room goes to a worker with headroom or with a warm room for the order. A worker with an open
// warm room that is not promised elsewhere comes first, then one with a starting warm room. Among
// equals it goes first to the zone with the fewest rooms of the group (with the ones just planned).
// Then it goes to the worker with the largest part of its rooms free. Last comes a worker on which
// a room of one of the claims has just failed to boot. Just before it comes a worker with headroom
// only for this master's unanswered orders: most likely it will refuse.
//
// Masters that order at the same instant do not know each other's orders. The choice among equally
// loaded workers is therefore rendezvous hashing of group and worker. Different groups choose
// differently. The same group chooses alike on every master. By id they would all choose the same
// worker.
//
// Pure and deterministic. Thread rule: free functions. Errors: fewer rooms than needed if headroom
// runs out; the claims of the missing rooms are in no room.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::master {

struct SpawnClaim {
  std::uint32_t seats = 1;
  std::size_t bytes = 0;              // about what the claim adds to a message
  WorkerId avoid;                     // empty: none
  std::optional<std::size_t> client;  // index into SpawnLimits::client_rooms; null: not counted
};

struct SpawnWorker {
  WorkerId id;
  ZoneName zone;
  std::uint32_t headroom = 0;     // headroom for rooms of the group's mode
  std::uint32_t group_rooms = 0;  // rooms of the group that it has already
  std::uint32_t room_limit = 0;   // limit of all modes; a value below headroom counts as headroom
  std::uint32_t ordered = 0;      // headroom used by unanswered orders
  std::uint64_t affinity = 0;     // see affinity(); the highest wins among equally loaded workers
  std::uint32_t warm = 0;         // warm rooms that are open, as far as they are not ordered for
  std::uint32_t warming = 0;      // warm rooms that start or may be left over
};

// Rendezvous hashing: how much the group is drawn to the worker. The same on every machine.
[[nodiscard]] std::uint64_t affinity(const GroupKey& group, const WorkerId& worker);

struct PlannedRoom {
  WorkerId worker;
  std::vector<std::size_t> claims;  // indices, ascending: the room is born with these
  bool only_warm = false;  // planned for a warm room: elsewhere there may be one if not here
};

struct SpawnLimits {
  std::uint32_t capacity = 1;
  std::size_t claims = 4096;      // most claims in one order
  std::size_t bytes = 1U << 20U;  // most bytes of claims in one order
  std::size_t rooms = std::numeric_limits<std::size_t>::max();
  std::vector<std::uint32_t> client_rooms;  // rooms that each client's claims may still start
};

struct SpawnPlan {
  std::vector<PlannedRoom> rooms;
  std::vector<std::size_t> refused;  // claims whose client may start no further room; ascending
};

// A room may have more claims than fit one order. It takes the others by SeatRequest once it
// exists. They are in no planned room. No other room is planned for them.
[[nodiscard]] SpawnPlan plan_spawns(const std::vector<SpawnClaim>& claims,
                                    const std::vector<SpawnWorker>& workers,
                                    const SpawnLimits& limits);

}  // namespace fixkeep::master
