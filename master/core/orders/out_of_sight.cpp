#include "master/core/orders/out_of_sight.hpp"

#include <algorithm>
#include <iterator>

#include "common/wire/limits.hpp"
#include "master/core/groups/group.hpp"

namespace fixkeep::master {

void OutOfSight::went(const WorkerId& worker, Groups&& groups, Rooms&& rooms,
                      const std::set<ModeName>& modes, TimePoint now) {
  if (patience_ <= Duration{0} || (groups.empty() && modes.empty())) return;
  Away& away = away_[worker];
  away.until = now + patience_;
  away.groups.merge(groups);
  rooms.merge(away.rooms);  // perhaps the last link has not shown all rooms
  away.rooms = std::move(rooms);
  away.modes.insert(modes.begin(), modes.end());
  if (away_.size() <= most_workers) return;
  const auto oldest = std::min_element(
      away_.begin(), away_.end(),
      [](const auto& left, const auto& right) { return left.second.until < right.second.until; });
  oldest->second.until = now;  // the next tick frees the groups
}

void OutOfSight::add(const WorkerId& worker, const GroupKey& group, TimePoint now) {
  const auto at = away_.find(worker);
  if (at != away_.end() && at->second.until > now) at->second.groups.insert(group);
}

void OutOfSight::held_up(Duration late) {
  for (auto& [worker, away] : away_) away.until += late;
}

void OutOfSight::free(const WorkerId& worker, Away&& away, Freed& freed) {
  freed.groups.merge(away.groups);
  for (const ClaimNumber claim : away.claims) freed.claims.emplace_back(worker, claim);
}

OutOfSight::Freed OutOfSight::end(const WorkerId& worker) {
  Freed freed;
  auto node = away_.extract(worker);
  if (!node.empty()) free(worker, std::move(node.mapped()), freed);
  return freed;
}

OutOfSight::Freed OutOfSight::time_passed(TimePoint now) {
  Freed freed;
  for (auto at = away_.begin(); at != away_.end();) {
    const bool over = at->second.until <= now;
    if (over) free(at->first, std::move(at->second), freed);
    at = over ? away_.erase(at) : std::next(at);
  }
  return freed;
}

bool OutOfSight::any_of(const GroupKey& group, TimePoint now) const {
  return std::any_of(away_.begin(), away_.end(), [&](const auto& entry) {
    return entry.second.until > now && entry.second.groups.contains(group);
  });
}

std::vector<wire::RoomHint> OutOfSight::hints(const GroupKey& group, TimePoint now) const {
  std::vector<wire::RoomHint> hints;
  for (const auto& [worker, away] : away_) {
    const auto at = away.rooms.find(group);
    if (away.until <= now || at == away.rooms.end()) continue;
    hints.insert(hints.end(), at->second.begin(), at->second.end());
  }
  return hints;
}

bool OutOfSight::keeps_back(const GroupKey& pool, const ModeName& mode, TimePoint now) {
  bool waits = false;
  for (auto& [worker, away] : away_) {
    if (away.until <= now || !away.modes.contains(mode)) continue;
    away.groups.insert(pool);
    waits = true;
  }
  return waits;
}

TimePoint OutOfSight::next_tick() const {
  TimePoint next = TimePoint::max();
  for (const auto& [worker, away] : away_) next = std::min(next, away.until);
  return next;
}

OutOfSight::Groups groups_on(const Worker& worker, const OutOfSight::Rooms& rooms,
                             const Claims& claims) {
  OutOfSight::Groups groups;
  for (const auto& [group, hints] : rooms) groups.insert(group);
  for (const ClaimNumber number : claims.reserved_on(worker.id)) {
    groups.insert(claims.at(number).group->key);
  }
  return groups;
}

OutOfSight::Rooms rooms_on(const Worker& worker) {
  OutOfSight::Rooms rooms;
  // Newest rooms first, because most likely the next holder does not know these rooms yet.
  for (auto at = worker.rooms.rbegin(); at != worker.rooms.rend(); ++at) {
    const Room& room = at->second;
    const bool has_seats = room.takes_players() && room.free() > 0;
    if (!has_seats && !wire::is_match(room.group)) continue;  // a match has one room, full or not
    std::vector<wire::RoomHint>& hints = rooms[room.group];
    if (hints.size() == wire::limits::hints) continue;
    hints.push_back({room.id, room.mode, room.capacity, room.free(), std::nullopt});
  }
  return rooms;
}

bool has_ended(const Worker& worker) {
  return worker.rooms.empty() && worker.headroom == 0;
}

std::set<ModeName> pools_on(const Worker& worker) {
  return has_ended(worker) ? std::set<ModeName>{} : worker.modes;
}

}  // namespace fixkeep::master
