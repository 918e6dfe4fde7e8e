// The rules of a mode for unequal players that share a room. The limits of the rules widen while a
// player waits. Rules contain numbers; names are only for messages.
//
// The hard attributes of a mode are not included, because they define the pool. A plan is for one
// pool.
//
// A *set* of tickets may become a room at a moment if
//   distance  the largest number minus the smallest number is at most the limit. A party's number
//             is the mean of its members' numbers. `older`: the oldest ticket's limit counts, also
//             for new tickets. `both`: the newest ticket's limit counts.
//   latency   for one region every ticket has measured at most its own limit.
//   size      it has at least `best` players, or `least` after the oldest ticket has waited for
//             `after`.
//   teams     its unsplit parties make teams of equally many players, and the teams' sums of a
//             number differ by at most `difference`.
//   roles     within each team (or the room, without teams) each player has a role that it plays,
//             and no role has more players than seats.
//   avoid     no ticket avoids a player of another ticket. A ticket's list is valid until `until`.
// By the same rules a *ticket* may join a room that has enough seats. The ticket's own limits
// count, because a room does not wait. After the join, sums of teams differ by at most `difference`
// or by less than before. A seated player is not bound to a role. A list that was valid when its
// ticket got seats remains valid in the room.
//
// Limits only widen: steps ascend in time and limit. The first step is at zero.
// Thread rule: values. Bounds: the constants below; parse_rules (rules_text.hpp) keeps them.
// Errors: none here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep::master::plan {

inline constexpr std::size_t numbers_most = 4;
inline constexpr std::size_t regions_most = 32;
inline constexpr std::size_t roles_most = 6;
inline constexpr std::size_t teams_most = 16;
inline constexpr std::size_t steps_most = 32;
inline constexpr std::uint32_t seats_most = 1024;
// Bound for a player's number, positive or negative. Sums thus never overflow.
inline constexpr std::int64_t number_most = 1'000'000'000'000;
inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

struct Step {
  Duration after{};  // waiting time at which the step begins
  std::int64_t most = no_limit;

  friend bool operator==(const Step&, const Step&) = default;
};
using Steps = std::vector<Step>;

// REQUIRES: steps as described at the top of this file.
[[nodiscard]] std::int64_t limit_at(const Steps& steps, Duration age);
// Returns the age at which the limit widens next, or nothing after the last step.
[[nodiscard]] std::optional<Duration> next_step(const Steps& steps, Duration age);

enum class Widening : std::uint8_t { older, both };

struct DistanceRule {
  std::size_t number = 0;  // index into Rules::numbers
  Steps steps;
  Widening widening = Widening::older;

  friend bool operator==(const DistanceRule&, const DistanceRule&) = default;
};

struct LatencyRule {
  std::vector<std::string> regions;
  Steps steps;  // milliseconds

  friend bool operator==(const LatencyRule&, const LatencyRule&) = default;
};

struct SizeRule {  // numbers of players; least <= best <= most
  std::uint32_t least = 2;
  std::uint32_t best = 2;
  std::uint32_t most = 2;  // seats of a room
  Duration after{};

  friend bool operator==(const SizeRule&, const SizeRule&) = default;
};

struct TeamRule {
  std::uint32_t count = 1;
  std::uint32_t size = 2;
  std::optional<std::size_t> number;  // the number to add up and compare
  std::int64_t difference = no_limit;

  friend bool operator==(const TeamRule&, const TeamRule&) = default;
};

struct Role {
  std::string name;
  std::uint32_t seats = 1;

  friend bool operator==(const Role&, const Role&) = default;
};

struct AvoidRule {
  Duration until = Duration::max();

  friend bool operator==(const AvoidRule&, const AvoidRule&) = default;
};

struct Rules {
  std::vector<std::string> numbers;  // attributes that are numbers
  std::vector<DistanceRule> distances;
  std::optional<LatencyRule> latency;
  SizeRule size;
  std::optional<TeamRule> teams;
  std::vector<Role> roles;
  std::optional<AvoidRule> avoid;
  std::uint32_t party = 2;  // limit on players in a party
  // A ticket may be passed over this many times (decision.hpp). With a lower number, the players in
  // a room match less well. A higher number hardly helps: a player with few matches waits for wider
  // limits first.
  std::uint32_t passes = 3;
  Duration wait{std::chrono::minutes{2}};  // longest wait of a ticket

  [[nodiscard]] std::uint32_t team_count() const { return teams ? teams->count : 1; }
  [[nodiscard]] std::uint32_t team_size() const { return teams ? teams->size : size.most; }
  // Returns whether `players` players may start when the oldest ticket has waited for `oldest`.
  [[nodiscard]] bool may_start(std::uint32_t players, Duration oldest) const {
    if (players > size.most) return false;
    return players >= size.best || (players >= size.least && oldest >= size.after);
  }

  friend bool operator==(const Rules&, const Rules&) = default;
};

// Returns the age at which a limit of a ticket widens next; null: never.
[[nodiscard]] std::optional<Duration> next_change(const Rules& rules, Duration age);

}  // namespace fixkeep::master::plan
