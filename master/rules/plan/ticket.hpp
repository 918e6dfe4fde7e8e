// The parts of a plan: waiting tickets and rooms with free seats.
//
// Thread rule: values; a TicketPool has one owner. Bounds: `tickets_most`, `rooms_most` and those
// of rules.hpp. Errors: none, because tickets from clients were already checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master::plan {

inline constexpr std::size_t tickets_most = 65'536;
inline constexpr std::size_t rooms_most = 4'096;
inline constexpr std::size_t avoided_most = 16;
inline constexpr std::uint16_t unmeasured = 65'535;

struct Member {
  PlayerHash player;
  std::uint8_t roles = 0;  // bit i: plays Rules::roles[i]

  friend bool operator==(const Member&, const Member&) = default;
};

struct Ticket {
  TicketId id;               // unique in its pool
  TimePoint since;           // start of the player's wait
  std::uint32_t passed = 0;  // how often earlier decisions passed over the ticket
  std::vector<Member> members;
  std::array<std::int64_t, numbers_most> sums{};         // sums over the members
  std::array<std::uint16_t, regions_most> latency_ms{};  // `unmeasured`: cannot play in the region
  std::vector<PlayerHash> avoids;
  bool no_backfill = false;  // only for a new room

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

// Returns a ticket's number: the mean of its members' numbers, rounded down.
[[nodiscard]] std::int64_t mean_of(const Ticket& ticket, std::size_t number);

struct RoomTeam {
  std::uint32_t players = 0;
  std::uint32_t free = 0;
  std::int64_t sum = 0;             // sum of TeamRule::number over the players
  std::vector<std::uint8_t> roles;  // Member::roles of each player; empty without roles

  friend bool operator==(const RoomTeam&, const RoomTeam&) = default;
};

// Players that the game of a room wants. See fixkeep::fill().
struct Want {
  std::optional<std::uint32_t> team;  // null: any team
  std::uint8_t roles = 0;             // Member::roles with the wanted role; 0: any role
  std::uint32_t players = 0;

  [[nodiscard]] bool fits(std::uint32_t of_team, const Member& member) const {
    return team.value_or(of_team) == of_team && (roles == 0 || (roles & member.roles) != 0);
  }
  friend bool operator==(const Want&, const Want&) = default;
};

// A room that accepts new players. A room without teams has one team.
struct Room {
  std::uint64_t id = 0;  // unique, chosen by the caller
  TimePoint since;
  bool starting = false;
  std::uint8_t region = 0;
  std::vector<RoomTeam> teams;
  // Each number's range over the room's tickets; meaningless without a seated player.
  std::array<std::int64_t, numbers_most> low{};
  std::array<std::int64_t, numbers_most> high{};
  std::vector<PlayerHash> players;
  std::vector<Want> wants;          // empty: the room takes any players
  std::vector<PlayerHash> avoided;  // players on valid avoid lists of seated players

  friend bool operator==(const Room&, const Room&) = default;
};

// The tickets of a pool. A plan depends on the content, not on the order of inserts and removals.
class TicketPool {
 public:
  using Slot = std::uint32_t;  // place of a ticket until its removal

  // REQUIRES: fewer than tickets_most tickets and a new id. The memory of removed tickets is
  // reused.
  Slot insert(const Ticket& ticket);
  // REQUIRES: the slot contains a ticket.
  void remove(Slot slot);
  [[nodiscard]] Ticket& at(Slot slot) { return slots_[slot].ticket; }
  [[nodiscard]] std::size_t size() const { return size_; }

  void each(const auto& visit) const {
    for (const Entry& entry : slots_) {
      if (entry.used) visit(entry.ticket);
    }
  }

 private:
  struct Entry {
    Ticket ticket;
    bool used = false;
  };
  std::vector<Entry> slots_;
  std::vector<Slot> free_;
  std::size_t size_ = 0;
};

}  // namespace fixkeep::master::plan
