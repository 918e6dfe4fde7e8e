#include "client-sim/load/room_book.hpp"

#include <algorithm>

#include "common/base/assert.hpp"

namespace fixkeep::client_sim {

std::uint32_t RoomBook::index_of(const std::string& id, const std::string& group_key) {
  const auto [entry, added] = indices_.emplace(id, static_cast<std::uint32_t>(rooms_.size()));
  if (added) {
    rooms_.push_back({.id = id, .group_key = group_key});
    inside_.push_back(0);
    ++made_;
  }
  return entry->second;
}

void RoomBook::existed(const RoomRow& row) {
  auto& room = rooms_[index_of(row.id, row.group)];
  if (!room.existed_before) --made_;
  room.existed_before = true;
  room.capacity = row.capacity;
  // Several masters answer. The master that shows the most seats is the most up to date.
  room.taken_before = std::max(room.taken_before, row.taken());
}

void RoomBook::sampled(double at_ms, const std::vector<RoomRow>& rows, bool keep) {
  Sample sample{.at_ms = at_ms};
  for (const auto& row : rows) {
    const auto index = index_of(row.id, row.group);
    auto& room = rooms_[index];
    room.capacity = row.capacity;
    room.most_taken = std::max(room.most_taken, row.taken());
    if (keep) {
      sample.sightings.push_back({.room = index, .phase = row.phase, .taken = row.taken()});
    }
    if (room.existed_before || row.phase == Phase::closed) continue;
    ++sample.rooms;
    sample.starting += row.phase == Phase::starting ? 1 : 0;
    sample.taken += row.taken();
  }
  samples_.push_back(std::move(sample));
}

void RoomBook::entered(const std::string& room, const std::string& group_key) {
  const auto index = index_of(room, group_key);
  const auto now = ++inside_[index];
  rooms_[index].most_inside = std::max(rooms_[index].most_inside, now);
}

void RoomBook::left(const std::string& room) {
  const auto found = indices_.find(room);
  FIXKEEP_ASSERT(found != indices_.end() && inside_[found->second] > 0, room);
  --inside_[found->second];
}

void RoomBook::load_is_over() {
  for (std::size_t index = 0; index < rooms_.size(); ++index) {
    rooms_[index].inside_at_end = inside_[index];
  }
}

}  // namespace fixkeep::client_sim
