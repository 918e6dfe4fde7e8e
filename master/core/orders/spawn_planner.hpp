// Plans which rooms to order for the waiting claims, and on which workers.
//
// Claims take seats in their order (plan/first_fit.hpp), so n claims of one player each fill
// exactly ⌈n/c⌉ rooms of c seats. A claim that needs a room beyond SpawnLimits::rooms is left out.
// A claim that needs a room beyond its client's limit is refused. Both kinds of claims may still
// take seats in a room that other claims open.
//
// Each room goes to a worker with headroom or with a warm room for the order. The first of these
// preferences that differs between two workers decides:
// - no room of these claims has just failed to boot on the worker;
// - an open warm room that no order has taken, otherwise a starting warm room;
// - headroom beyond this master's unanswered orders: other workers will most likely refuse;
// - a zone with fewer rooms of the group, planned rooms included;
// - a larger free part of the worker's rooms.
//
// Masters that order at the same instant do not know each other's orders. Therefore rendezvous
// hashing of group and worker chooses among equally loaded workers. Different groups choose
// differently, and the same group chooses the same worker on every master. If the worker id
// decided, all groups would choose the same worker.
//
// Pure and deterministic. Thread rule: free functions. Errors: fewer rooms than needed if headroom
// runs out; the claims for the missing rooms are in no planned room.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::master {

struct SpawnClaim {
  std::uint32_t seats = 1;
  std::size_t bytes = 0;              // approximate size of the claim in a message
  WorkerId avoid;                     // empty: none
  std::optional<std::size_t> client;  // index into SpawnLimits::client_rooms; null: not counted
};

struct SpawnWorker {
  WorkerId id;
  ZoneName zone;
  std::uint32_t headroom = 0;     // headroom for rooms of the group's mode
  std::uint32_t group_rooms = 0;  // present rooms of the group on the worker
  std::uint32_t room_limit = 0;   // limit on rooms of all modes; raised to headroom if lower
  std::uint32_t ordered = 0;      // headroom used by unanswered orders
  std::uint64_t affinity = 0;     // affinity(): with equal loads the highest wins
  std::uint32_t warm = 0;         // open warm rooms without an order for them
  std::uint32_t warming = 0;      // starting warm rooms; open rooms that orders perhaps leave free
};

// Returns the rendezvous hash of group and worker: the same on every machine.
[[nodiscard]] std::uint64_t affinity(const GroupKey& group, const WorkerId& worker);

struct PlannedRoom {
  WorkerId worker;
  std::vector<std::size_t> claims;  // ascending indices of the claims in the order
  bool only_warm = false;           // the order needs a warm room of this worker
};

struct SpawnLimits {
  std::uint32_t capacity = 1;
  std::size_t claims = 4096;      // limit on claims in one order
  std::size_t bytes = 1U << 20U;  // limit on bytes of claims in one order
  std::size_t rooms = std::numeric_limits<std::size_t>::max();
  std::vector<std::uint32_t> client_rooms;  // for each client, the rooms that may still start
};

struct SpawnPlan {
  std::vector<PlannedRoom> rooms;
  std::vector<std::size_t> refused;  // claims beyond their client's limit; ascending
};

// A room may have more claims than fit into one order. The remaining claims are in no planned room:
// they send a SeatRequest when the room exists. No other room is planned for them.
[[nodiscard]] SpawnPlan plan_spawns(const std::vector<SpawnClaim>& claims,
                                    const std::vector<SpawnWorker>& workers,
                                    const SpawnLimits& limits);

}  // namespace fixkeep::master
