// Finds, for a ticket, the rooms with a player that the ticket avoids or that avoids the ticket.
// This class does not visit every room.
//
// Thread rule: one owner. Bounds: all players in rooms and all players that these avoid. Memory is
// reused. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "master/rules/plan/waiting.hpp"

namespace fixkeep::master::plan {

// Lists the rooms by player.
class RoomsByPlayer {
 public:
  void clear(std::size_t players);
  void add(PlayerHash player, std::uint32_t room);
  // Visits each room with this player. Returns its work in looks (see Budget::work).
  std::uint64_t each(PlayerHash player, const auto& visit) const {
    std::uint64_t looks = 1;
    for (std::uint32_t at = heads_[bucket(player)]; at != 0; at = nodes_[at - 1].next) {
      ++looks;
      if (nodes_[at - 1].player == player) visit(nodes_[at - 1].room);
    }
    return looks;
  }

 private:
  struct Node {
    PlayerHash player;
    std::uint32_t room = 0;
    std::uint32_t next = 0;  // next node, counted from 1; 0: none
  };
  [[nodiscard]] std::size_t bucket(PlayerHash player) const {
    return static_cast<std::size_t>((player.number() * 0x9E37'79B9'7F4A'7C15ULL) >> shift_);
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> heads_;
  unsigned shift_ = 0;
};

class KeptApart {
 public:
  // In the other functions the number of a room is its index in `rooms`.
  void load(const std::vector<const Room*>& rooms);
  void add(const Entry& entry, std::uint32_t room);
  // Later calls of keeps_out() are about this ticket. Returns its work in looks (see Budget::work).
  std::uint64_t ask(const Entry& entry);
  [[nodiscard]] bool keeps_out(std::size_t room) const { return marks_[room] == mark_; }

 private:
  RoomsByPlayer seated_;
  RoomsByPlayer avoided_;
  std::vector<std::uint32_t> marks_;  // index: room; value: mark of the last ask()
  std::uint32_t mark_ = 0;
};

}  // namespace fixkeep::master::plan
