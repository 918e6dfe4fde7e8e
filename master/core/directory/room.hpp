// A Room is a master's belief about one room.
// Thread rule: a value of the directory. Bounds: its capacity. Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/newcomers.hpp"
#include "common/wire/messages.hpp"
#include "master/core/directory/player_set.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

struct Room {
  RoomId id;
  GroupKey group;
  ModeName mode;
  wire::RoomPhase phase = wire::RoomPhase::starting;
  std::optional<wire::RoomPlace> place;  // null: not known yet
  std::uint32_t capacity = 0;
  CreationId creation;
  std::uint32_t occupied = 0;
  bool unknown = false;  // the number of players is unknown; see wire::RoomInfo
  RoomStage stage = RoomStage::gathering;
  Wants wants{};  // see wire::RoomInfo
  PlayerSet players;
  wire::WorkerTime opened_at{};  // 0 while the room is starting
  // The room is known only from a hint: `place` is unknown, and `players` may be incomplete.
  bool provisional = false;
  std::uint32_t hinted_free = 0;
  // Seats that this master gave back since the worker's last news. The master asks for these seats
  // before it orders a room.
  std::uint32_t given_back = 0;
  // Smallest number of seats that the worker denied although they seemed free; 0: none.
  std::uint32_t denied_seats = 0;
  // Claim::brings of each player, from the worker's last report of this room.
  std::map<PlayerId, std::string> brought{};
  std::shared_ptr<const wire::MatchFacts> match{};  // null: the group is no match
  ClientAddress client;                             // client whose limits count the starting room
  bool asked = false;    // a SeatRequest has no answer yet; at most one at a time
  bool in_news = false;  // already in the directory's news

  // Returns the free seats for newcomers.
  [[nodiscard]] std::uint32_t free() const {
    if (stage == RoomStage::no_newcomers) return 0;
    const auto taken = static_cast<std::uint32_t>(players.size());
    const std::uint32_t most = capacity + given_back;
    std::uint32_t seats = taken < most ? std::min(most - taken, capacity) : 0;
    if (provisional) seats = hinted_free;
    if (!wants.empty()) {
      std::uint32_t wanted = 0;
      for (const Want& want : wants) wanted += want.players;
      seats = std::min(seats, wanted);
    }
    return denied_seats > 0 && denied_seats <= seats ? denied_seats - 1 : seats;
  }
  [[nodiscard]] bool takes_players() const {
    return phase == wire::RoomPhase::starting || phase == wire::RoomPhase::open;
  }
  [[nodiscard]] bool gathers() const { return stage == RoomStage::gathering; }
  [[nodiscard]] bool starts() const { return phase == wire::RoomPhase::starting; }
  [[nodiscard]] bool ready() const { return phase == wire::RoomPhase::open && place.has_value(); }
};

}  // namespace fixkeep::master
