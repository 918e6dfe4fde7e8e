// Watches the rooms of workers: a room that takes no newcomers gives no seat to a new player.
//
// Thread rule: one owner. Bounds: the rooms that are looked at. Errors: none.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "common/wire/rooms.hpp"

namespace fixkeep::support {

class NewcomerWatch {
 public:
  // Call after each step of the room's worker. Returns a player that got a seat in the step, if the
  // room took no newcomers before the step and takes none now.
  [[nodiscard]] std::optional<PlayerId> look(const std::string& name, const wire::RoomInfo& room) {
    const bool refuses = room.stage == RoomStage::no_newcomers;
    const std::set<PlayerId> players{room.players.begin(), room.players.end()};
    const auto before = rooms_.find(name);
    std::optional<PlayerId> newcomer;
    if (refuses && before != rooms_.end()) {
      const auto is_new = [&](const PlayerId& each) { return !before->second.contains(each); };
      const auto found = std::ranges::find_if(players, is_new);
      if (found != players.end()) newcomer = *found;
    }
    rooms_.erase(name);
    if (refuses) rooms_[name] = players;
    return newcomer;
  }

 private:
  std::map<std::string, std::set<PlayerId>> rooms_;  // that took no newcomers, with their players
};

}  // namespace fixkeep::support
