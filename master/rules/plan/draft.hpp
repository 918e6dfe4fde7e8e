// A set of tickets under construction: its teams, and whether one more ticket fits.
//
// A ticket that does not fit now will not fit later, because each added ticket only limits what
// still fits. Equal numbers of players and close sums of teams are checked at the end (`is_whole`).
// REQUIRES: the first added ticket is the oldest.
// Thread rule: one owner. Bounds: seats_most tickets. Memory is reused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "master/rules/plan/rules.hpp"
#include "master/rules/plan/waiting.hpp"

namespace fixkeep::master::plan {

struct Seated {
  Rank rank = 0;
  std::uint32_t team = 0;
};

// Counts, for each set of roles, the players whose roles are all in the set. By Hall's theorem
// every player finds a role if no set has more players than seats.
class RoleCounts {
 public:
  using Seats = std::array<std::uint32_t, std::size_t{1} << roles_most>;  // index: set of roles

  [[nodiscard]] static Seats seats_of(const std::vector<Role>& roles);
  void clear() { counts_.fill(0); }
  // Adds seated players, even if no seat is left for their roles.
  void add_seated(std::uint8_t roles, std::size_t count);
  // If the members and the present players all find roles, adds the members and returns true.
  bool add(const Ticket& ticket, const Seats& seats, std::size_t roles);
  void drop(const Ticket& ticket, std::size_t roles);
  // Returns bits: bit m is set if there is a seat for a player with the roles m (as Member::roles).
  [[nodiscard]] std::uint64_t open_to(const Seats& seats, std::size_t roles) const;
  // Returns the number of players whose roles are all in the set.
  [[nodiscard]] std::uint32_t players(std::size_t set) const { return counts_[set]; }

 private:
  Seats counts_{};
};

// Returns whether `entry` avoids a player of `other`.
[[nodiscard]] bool avoids_one_of(const Entry& entry, const Entry& other);
// avoids_somebody_in(): the ticket avoids a seated player. is_avoided_in(): a seated player avoids
// a player of the ticket.
[[nodiscard]] bool avoids_somebody_in(const Entry& entry, const Room& room);
[[nodiscard]] bool is_avoided_in(const Room& room, const Entry& entry);
// Returns whether one ticket avoids a player of the other ticket.
[[nodiscard]] bool avoid_each_other(const Entry& a, const Entry& b);

class Draft {
 public:
  void begin(const Rules& rules, const Waiting& waiting);
  enum class Added : std::uint8_t { yes, not_to_team, not_at_all };
  Added add(const Rules& rules, const Waiting& waiting, Rank rank, std::uint32_t team);
  void drop(const Rules& rules, const Waiting& waiting);

  [[nodiscard]] const std::vector<Seated>& seated() const { return seated_; }
  [[nodiscard]] std::uint32_t players() const { return players_; }
  [[nodiscard]] std::uint32_t heads(std::uint32_t team) const { return heads_[team]; }
  [[nodiscard]] std::int64_t sum(std::uint32_t team) const { return sums_[team]; }
  // Returns whether teams have equally many players and, if the rule requires it, close sums.
  [[nodiscard]] bool is_whole(const Rules& rules) const;

 private:
  struct Span {
    std::array<std::int64_t, numbers_most> low{};
    std::array<std::int64_t, numbers_most> high{};
    std::array<std::int64_t, numbers_most> limit{};
  };
  [[nodiscard]] std::optional<Span> with(const Rules& rules, const Entry& entry) const;

  std::vector<Seated> seated_;
  std::vector<Span> spans_;  // spans of the first ticket, the first two, …
  std::uint32_t players_ = 0;
  std::array<std::uint32_t, teams_most> heads_{};
  std::array<std::int64_t, teams_most> sums_{};
  std::array<RoleCounts, teams_most> roles_{};
  const RoleCounts::Seats* role_seats_ = nullptr;
};

}  // namespace fixkeep::master::plan
