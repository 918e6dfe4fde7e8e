#include "master/core/spawn_planner.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "common/base/assert.hpp"

namespace fixkeep::master {
namespace {

struct Packed {
  std::uint32_t free = 0;
  std::size_t bytes = 0;
  std::vector<std::size_t> claims;
};

// First fit. `first_open` skips the full rooms at the front, so plain claims cost O(1) each.
std::vector<Packed> pack(const std::vector<SpawnClaim>& claims, const SpawnLimits& limits) {
  std::vector<Packed> rooms;
  std::size_t first_open = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const SpawnClaim& claim = claims[i];
    FIXKEEP_ASSERT(claim.seats <= limits.capacity, std::to_string(claim.seats));
    while (first_open < rooms.size() && rooms[first_open].free == 0) ++first_open;
    auto room = std::find_if(rooms.begin() + static_cast<std::ptrdiff_t>(first_open), rooms.end(),
                             [&](const Packed& open) { return open.free >= claim.seats; });
    if (room == rooms.end()) room = rooms.insert(room, Packed{limits.capacity, 0, {}});
    room->free -= claim.seats;
    const bool fits = room->claims.size() < limits.claims &&
                      (room->claims.empty() || room->bytes + claim.bytes <= limits.bytes);
    if (!fits) continue;
    room->bytes += claim.bytes;
    room->claims.push_back(i);
  }
  return rooms;
}

bool avoided(const Packed& room, const std::vector<SpawnClaim>& claims, const WorkerId& worker) {
  return std::any_of(room.claims.begin(), room.claims.end(),
                     [&](std::size_t claim) { return claims[claim].avoid == worker; });
}

}  // namespace

std::vector<PlannedRoom> plan_spawns(const std::vector<SpawnClaim>& claims,
                                     const std::vector<SpawnWorker>& workers,
                                     const SpawnLimits& limits) {
  std::vector<SpawnWorker> left = workers;
  std::map<ZoneName, std::uint32_t> zone_rooms;
  for (const SpawnWorker& worker : left) zone_rooms[worker.zone] += worker.group_rooms;

  std::vector<PlannedRoom> plan;
  for (Packed& room : pack(claims, limits)) {
    SpawnWorker* best = nullptr;
    const auto rank = [&](const SpawnWorker& worker) {
      return std::tuple<bool, std::uint32_t, std::uint32_t, const WorkerId&>(
          avoided(room, claims, worker.id), zone_rooms[worker.zone], ~worker.headroom, worker.id);
    };
    for (SpawnWorker& worker : left) {
      if (worker.headroom == 0) continue;
      if (best == nullptr || rank(worker) < rank(*best)) best = &worker;
    }
    if (best == nullptr) break;
    --best->headroom;
    ++zone_rooms[best->zone];
    plan.push_back({best->id, std::move(room.claims)});
  }
  return plan;
}

}  // namespace fixkeep::master
