#include "master/core/orders/spawn_planner.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "common/base/assert.hpp"
#include "master/rules/plan/first_fit.hpp"

namespace fixkeep::master {
namespace {

struct Packed {
  std::size_t bytes = 0;
  std::vector<std::size_t> claims;  // the first claim opened the room
};

std::vector<Packed> pack(const std::vector<SpawnClaim>& claims, const SpawnLimits& limits,
                         std::vector<std::size_t>& refused) {
  std::vector<Packed> rooms;
  plan::FirstFit seats;
  std::vector<std::uint32_t> client_rooms = limits.client_rooms;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const SpawnClaim& claim = claims[i];
    FIXKEEP_ASSERT(claim.seats <= limits.capacity, std::to_string(claim.seats));
    auto at = seats.put(claim.seats);
    if (!at) {
      if (rooms.size() >= limits.rooms) continue;
      if (claim.client && client_rooms.at(*claim.client) == 0) {
        refused.push_back(i);
        continue;
      }
      if (claim.client) --client_rooms.at(*claim.client);
      rooms.emplace_back();
      seats.add(limits.capacity);
      at = seats.put(claim.seats);
    }
    Packed& room = rooms[*at];
    const bool fits = room.claims.size() < limits.claims &&
                      (room.claims.empty() || room.bytes + claim.bytes <= limits.bytes);
    if (!fits) continue;
    room.bytes += claim.bytes;
    room.claims.push_back(i);
  }
  return rooms;
}

bool avoided(const Packed& room, const std::vector<SpawnClaim>& claims, const WorkerId& worker) {
  return std::any_of(room.claims.begin(), room.claims.end(),
                     [&](std::size_t claim) { return claims[claim].avoid == worker; });
}

std::uint32_t free_of(const SpawnWorker& worker) {
  return worker.headroom > worker.ordered ? worker.headroom - worker.ordered : 0;
}

// Ranks how soon a room on the worker is ready; higher: sooner.
int readiness(const SpawnWorker& worker) {
  if (worker.warm > 0) return 2;
  return worker.warming > 0 ? 1 : 0;
}

bool is_candidate(const SpawnWorker& worker) {
  return worker.headroom > 0 || readiness(worker) > 0;
}

// Takes a warm room of the worker, or if there is none a place of its headroom, for a room to be
// ordered. Returns true if it took a warm room that is open.
bool take_place(SpawnWorker& worker) {
  if (worker.warm > 0) {
    --worker.warm;
    return true;
  }
  --(worker.warming > 0 ? worker.warming : worker.headroom);
  return false;
}

// Compares the free parts of the two workers' rooms: -1 if the part of `left` is larger, 0 if both
// are equal, otherwise 1.
int compare_load(const SpawnWorker& left, const SpawnWorker& right) {
  const std::uint64_t lefts = std::uint64_t{free_of(left)} * right.room_limit;
  const std::uint64_t rights = std::uint64_t{free_of(right)} * left.room_limit;
  if (lefts == rights) return 0;
  return lefts > rights ? -1 : 1;
}

}  // namespace

std::uint64_t affinity(const GroupKey& group, const WorkerId& worker) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, as in hash_of()
  const auto take = [&](unsigned char byte) {
    hash ^= byte;
    hash *= 0x100000001b3U;
  };
  for (const char c : group.text()) take(static_cast<unsigned char>(c));
  take(0);
  for (const char c : worker.text()) take(static_cast<unsigned char>(c));
  // After FNV, a different last byte changes only low bits. SplitMix64's last steps spread the
  // change.
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31U);
}

SpawnPlan plan_spawns(const std::vector<SpawnClaim>& claims,
                      const std::vector<SpawnWorker>& workers, const SpawnLimits& limits) {
  std::vector<SpawnWorker> left = workers;
  for (SpawnWorker& worker : left) {
    worker.room_limit = std::max(worker.room_limit, worker.headroom);
  }
  std::map<ZoneName, std::uint32_t> zone_rooms;
  for (const SpawnWorker& worker : left) zone_rooms[worker.zone] += worker.group_rooms;

  SpawnPlan plan;
  for (Packed& room : pack(claims, limits, plan.refused)) {
    SpawnWorker* best = nullptr;
    const auto better = [&](const SpawnWorker& one, const SpawnWorker& other) {
      const bool avoids_one = avoided(room, claims, one.id);
      if (avoids_one != avoided(room, claims, other.id)) return !avoids_one;
      if (readiness(one) != readiness(other)) return readiness(one) > readiness(other);
      const bool one_has_room = free_of(one) > 0;
      if (one_has_room != (free_of(other) > 0)) return one_has_room;
      const std::uint32_t beside_one = zone_rooms[one.zone];
      const std::uint32_t beside_other = zone_rooms[other.zone];
      if (beside_one != beside_other) return beside_one < beside_other;
      const int load = compare_load(one, other);
      if (load != 0) return load < 0;
      return one.affinity != other.affinity ? one.affinity > other.affinity : one.id < other.id;
    };
    for (SpawnWorker& worker : left) {
      if (!is_candidate(worker)) continue;
      if (best == nullptr || better(worker, *best)) best = &worker;
    }
    if (best == nullptr) {
      // This room and the rooms after it do not start. Later claims were perhaps refused because
      // these rooms counted for their clients, so these claims are not refused now.
      std::erase_if(plan.refused, [&](std::size_t claim) { return claim > room.claims.front(); });
      break;
    }
    ++zone_rooms[best->zone];
    plan.rooms.push_back({best->id, std::move(room.claims), take_place(*best)});
  }
  return plan;
}

}  // namespace fixkeep::master
