// Fills the free seats of rooms with tickets. A room is used even for its last free seat.
//
// Open rooms are filled before starting rooms, older rooms before younger rooms. A ticket that does
// not fit now will not fit later: free seats only become fewer, and the span of numbers only grows.
// But if sums of teams are compared, a new player can make an older ticket fit (`fill_same`).
// Thread rule: one owner. Bounds: a ticket visits each room. Most visits cost only a small part of
// a look; looks() adds these parts up. Memory is reused.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "master/rules/plan/decision.hpp"
#include "master/rules/plan/draft.hpp"
#include "master/rules/plan/kept_apart.hpp"

namespace fixkeep::master::plan {

class RoomSeats {
 public:
  void load(const Rules& rules, std::span<const Room> rooms);
  // Gives the ticket seats in the first room that accepts it.
  std::optional<Fill> fill(const Rules& rules, const Waiting& waiting, Rank rank);
  // Gives the ticket seats in the room of the last fill. REQUIRES: an earlier fill.
  std::optional<Fill> fill_same(const Rules& rules, const Waiting& waiting, Rank rank);
  // Returns whether some room accepts the ticket.
  bool takes(const Rules& rules, const Waiting& waiting, Rank rank);
  [[nodiscard]] std::uint64_t free_seats() const { return free_; }
  // Returns the number of rooms with free seats.
  [[nodiscard]] std::size_t size() const { return states_.size(); }
  // Returns the work since load() in looks (see Budget::work).
  [[nodiscard]] std::uint64_t looks() const { return parts_ / parts_of_look; }

 private:
  static constexpr std::uint64_t parts_of_look = 64;
  struct Team {
    std::uint32_t players = 0;
    std::uint32_t free = 0;
    std::int64_t sum = 0;
    RoleCounts roles;
  };
  struct State {
    const Room* room = nullptr;
    std::uint32_t players = 0;
    std::uint32_t free = 0;
    std::uint32_t largest = 0;  // free seats of the team with most free seats
    std::array<std::int64_t, numbers_most> low{};
    std::array<std::int64_t, numbers_most> high{};
    std::uint32_t first_team = 0;
    std::vector<Want> wants{};  // not filled yet
  };

  // A Glance summarizes a room. Glances are adjacent in memory and refuse most tickets: a refusal
  // costs a nanosecond. A block's glance refuses the tickets that all its rooms refuse.
  struct Glance {
    std::int64_t low = 0;  // range of the first distance; low > high: empty room
    std::int64_t high = 0;
    std::uint64_t roles = 0;  // bit m: some team has a role for a player with roles m
    std::uint32_t largest = 0;
    std::uint32_t regions = 0;
  };
  static constexpr std::size_t block = 64;
  struct Needs {
    std::int64_t place = 0;
    std::int64_t limit = 0;
    std::uint64_t roles = 0;
    std::uint32_t size = 0;
    std::uint32_t regions = 0;
  };
  struct Found {
    std::size_t room = 0;  // index into states_
    std::uint32_t team = 0;
  };
  [[nodiscard]] Glance glance_at(const Rules& rules, const State& state) const;
  void glance_at_block(std::size_t at);
  [[nodiscard]] static Needs needs_of(const Rules& rules, const Entry& entry);
  [[nodiscard]] static bool refuses(const Glance& glance, const Needs& needs);

  // Returns the first room that accepts the ticket, with a team, and adds the ticket's roles to
  // this team.
  std::optional<Found> find(const Rules& rules, const Entry& entry);
  std::optional<std::uint32_t> find_team(const Rules& rules, const Entry& entry, std::size_t room);
  Fill seat_in(const Rules& rules, const Entry& entry, Found found);
  [[nodiscard]] bool takes(const Rules& rules, const State& state, const Entry& entry) const;
  [[nodiscard]] bool balances(const Rules& rules, const State& state, std::uint32_t team,
                              const Entry& entry) const;
  [[nodiscard]] std::optional<std::uint32_t> team_for(const Rules& rules, const State& state,
                                                      const Entry& entry);
  void seat(const Rules& rules, State& state, const Entry& entry, std::uint32_t team);

  std::vector<State> states_;
  std::vector<Glance> glances_;  // one for each state
  std::vector<Team> teams_;
  std::vector<Glance> blocks_;  // one for every `block` glances
  std::vector<const Room*> rooms_;
  KeptApart apart_;
  std::size_t last_ = 0;  // the room of the last fill
  std::uint64_t free_ = 0;
  std::uint64_t parts_ = 0;         // parts of looks
  RoleCounts::Seats role_seats_{};  // seats of a team
};

}  // namespace fixkeep::master::plan
