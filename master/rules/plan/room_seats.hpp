// The rooms with free seats while tickets are put into them: a free seat is all that a room needs
// to ask for a player.
//
// Rooms that are open stand before those that start, older ones before younger ones. What does not
// fit now fits no later, since seats only get fewer and numbers only spread; but where sums of
// teams are compared, a newcomer may make room for somebody older (`fill_same`). Thread rule: one
// owner. Bounds: tickets times rooms looks, and where sums of teams are compared tickets times free
// seats. Memory is kept from call to call.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "master/rules/plan/decision.hpp"
#include "master/rules/plan/draft.hpp"

namespace fixkeep::master::plan {

class RoomSeats {
 public:
  void load(const Rules& rules, std::span<const Room> rooms);
  // Gives the ticket seats in the first room that takes it.
  std::optional<Fill> fill(const Rules& rules, const Waiting& waiting, Rank rank);
  // The same in the room of the last fill only. REQUIRES: there was one.
  std::optional<Fill> fill_same(const Rules& rules, const Waiting& waiting, Rank rank);

 private:
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
    std::uint32_t largest = 0;  // free seats of the team that has most
    std::array<std::int64_t, numbers_most> low{};
    std::array<std::int64_t, numbers_most> high{};
    std::uint32_t first_team = 0;
  };

  // Glances lie close together and refuse most tickets: a room that takes nobody costs a
  // nanosecond.
  struct Glance {
    std::int64_t low = 0;  // of the first distance; above `high` while nobody has a seat
    std::int64_t high = 0;
    std::uint32_t largest = 0;
    std::uint32_t region = 0;
  };
  [[nodiscard]] static Glance glance_at(const Rules& rules, const State& state);

  std::optional<Fill> fill_room(const Rules& rules, const Waiting& waiting, Rank rank,
                                State& state);
  [[nodiscard]] bool takes(const Rules& rules, const Waiting& waiting, const State& state,
                           const Entry& entry) const;
  [[nodiscard]] bool balances(const Rules& rules, const State& state, std::uint32_t team,
                              const Entry& entry) const;
  [[nodiscard]] std::optional<std::uint32_t> team_for(const Rules& rules, const State& state,
                                                      const Entry& entry);
  void seat(const Rules& rules, State& state, const Entry& entry, std::uint32_t team);

  struct Joined {
    const Room* room = nullptr;
    Rank rank = 0;
  };
  std::vector<State> states_;
  std::vector<Glance> glances_;  // of each state
  std::vector<Team> teams_;
  std::vector<Joined> joined_;
  std::size_t last_ = 0;  // the room of the last fill
  std::uint64_t free_ = 0;
  RoleCounts::Seats role_seats_{};  // of a team
};

}  // namespace fixkeep::master::plan
