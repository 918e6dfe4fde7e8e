#include "master/http/feed/boot_watch.hpp"

#include <utility>

namespace fixkeep::master {

void BootWatch::note(const DirectoryNews& news, const Directory& directory, TimePoint now) {
  if (!std::exchange(begun_, true)) return begin(directory);
  // Forgets rooms that were lost with their worker, because the news does not name them.
  if (!news.workers.empty()) {
    std::erase_if(starting_,
                  [&](const auto& entry) { return directory.find(entry.first) == nullptr; });
  }
  for (const RoomId& id : news.rooms) look(id, directory.find(id), now);
}

void BootWatch::begin(const Directory& directory) {
  for (const auto& [id, worker] : directory.workers()) {
    for (const auto& [number, room] : worker.rooms) {
      if (room.phase == wire::RoomPhase::starting) starting_.emplace(room.id, Began{});
    }
  }
}

void BootWatch::look(const RoomId& id, const Room* room, TimePoint now) {
  if (room != nullptr && room->phase == wire::RoomPhase::starting) {
    starting_.try_emplace(id, room->provisional ? Began{} : Began{now});
    return;
  }
  const auto ended = starting_.extract(id);
  if (ended.empty() || !ended.mapped() || room == nullptr) return;
  if (room->phase == wire::RoomPhase::open) times_.add(now - *ended.mapped());
}

}  // namespace fixkeep::master
