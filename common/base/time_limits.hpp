// Says how long a node waits for others. All limits follow from the longest round trip between two
// nodes of the cluster.
//
// Each limit is the time to produce an answer plus `round_trips` round trips. The time to produce
// an answer is measured on a busy machine of a cluster in one place. A new link needs five round
// trips before its first message: one for TCP, two for TLS, two for the proofs of identity. Any
// other answer takes one round trip, or two after a lost segment. The answer may also wait behind
// other answers. Limits that span several answers use multiples: a lease has 2 * 5 round trips, and
// a wait for the lock has 10 * 5.
//
// An operator may choose some limits (`choices`). Each choice has a least value, computed from
// earlier limits. The default and the operator's value must be at least this value. Otherwise
// healthy nodes would treat each other as down. The rules:
//   1. A node counts as down only when it was silent for longer than two heartbeat intervals and a
//      round trip together.
//   2. A worker has at least two round trips to answer.
//   3. A lease is at least twice heartbeat_timeout. With maekawa, a living master notices a broken
//      link within one lease. A new coordinator grants after 1.5 leases: by then the old
//      coordinator's holders must know that they are cut off.
//   4. A lease is longer than worker_reply because a holder waits for its workers.
//   5. The wait for the lock is at least two leases. An operator cannot choose this wait.
//   6. A new master waits for workers (await_workers) longer than a worker pauses between two
//      attempts to dial (reconnect_most). An operator cannot choose these two times.
//
// Thread rule: pure functions and values. Bounds: `round_trip` is at most `round_trip_most`. No sum
// overflows. Errors: none; decide() reports choices below `least`.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>

namespace fixkeep {

struct TimeLimits {
  using Time = std::chrono::milliseconds;

  Time round_trip{};
  Time join_grace{};         // after a start: longest wait for silent masters
  Time heartbeat_timeout{};  // longest silence of a node
  Time handshake{};          // longest wait for a new connection's proof of identity
  Time worker_reply{};       // longest wait for a worker's answer
  Time await_workers{};      // after a start: longest wait for workers to dial
  Time lock_lease{};         // longest time to hold a lock
  Time lock_wait{};          // longest wait for the lock of a group
  Time lock_reply{};         // longest wait for a lock server's answer
};

namespace time_limits {

using Time = TimeLimits::Time;

inline constexpr Time round_trip_most{20'000};
inline constexpr int round_trips = 5;
inline constexpr Time heartbeat_interval{250};
inline constexpr Time reconnect_most{1000};

[[nodiscard]] constexpr TimeLimits usual(Time round_trip) {
  const Time away = round_trips * round_trip;
  return {.round_trip = round_trip,
          .join_grace = Time{5000} + away,
          .heartbeat_timeout = 6 * heartbeat_interval + away,
          .handshake = Time{2000} + away,
          .worker_reply = Time{2000} + away,
          .await_workers = reconnect_most + away,
          .lock_lease = Time{5000} + 2 * away,
          .lock_wait = Time{10'000} + 10 * away,
          .lock_reply = Time{1000} + away};
}

struct Choice {
  std::string_view key;
  Time TimeLimits::*limit;
  // `least` computes the least value from earlier limits; `unchosen` computes the default from
  // them.
  Time (*least)(const TimeLimits&);
  Time (*unchosen)(const TimeLimits&);
  std::string_view because;  // reason for `least`
};

// The values of a choice can depend on the choices before it in this list.
inline constexpr std::array<Choice, 3> choices{
    {{"mesh.heartbeat_timeout_ms", &TimeLimits::heartbeat_timeout,
      [](const TimeLimits& so_far) { return 2 * heartbeat_interval + so_far.round_trip + Time{1}; },
      [](const TimeLimits& so_far) { return so_far.heartbeat_timeout; },
      "one heartbeat may be late without its node being down"},
     {"matching.worker_reply_ms", &TimeLimits::worker_reply,
      [](const TimeLimits& so_far) { return Time{50} + 2 * so_far.round_trip; },
      [](const TimeLimits& so_far) { return so_far.worker_reply; }, "an answer takes this long"},
     {"lock.lease_ms", &TimeLimits::lock_lease,
      [](const TimeLimits& so_far) {
        return std::max(2 * so_far.heartbeat_timeout, so_far.worker_reply + Time{1});
      },
      [](const TimeLimits& so_far) {
        return std::max({so_far.lock_lease, 2 * so_far.heartbeat_timeout, 2 * so_far.worker_reply});
      },
      "a holder waits for its workers (matching.worker_reply_ms), and a node that vanished has to "
      "be noticed (mesh.heartbeat_timeout_ms) within half of it"}}};

// The chosen limits in the order of `choices`.
using Chosen = std::array<std::optional<Time>, choices.size()>;

// Returns all limits. Where the operator has chosen a value, this value replaces the default. If a
// chosen limit is too short, calls `too_short` with the choice and its least value.
[[nodiscard]] constexpr TimeLimits decide(Time round_trip, const Chosen& chosen, auto too_short) {
  TimeLimits limits = usual(round_trip);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Choice& choice = choices[i];
    const Time least = choice.least(limits);
    limits.*choice.limit = chosen[i].value_or(choice.unchosen(limits));
    if (limits.*choice.limit < least) too_short(choice, least);
  }
  limits.lock_wait = std::max(limits.lock_wait, 2 * limits.lock_lease);
  return limits;
}

}  // namespace time_limits
}  // namespace fixkeep
