// One key of a LockTable: its machine, the caller's wait or hold, and the deadline of this wait or
// hold. Also the two numbers that forgotten keys leave behind. Thread rule: values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "common/base/time.hpp"
#include "lock/core/any_machine.hpp"
#include "lock/core/lock_table.hpp"

namespace fixkeep::lock {

struct KeyState {
  AnyMachine machine;
  TimePoint since;  // start of `want`
  Want want = Want::nothing;
  TimePoint deadline;                  // end of the wait or the lease; when idle, time of the sweep
  TimePoint alarm = TimePoint::max();  // the machine's own timer
  // For each peer: the newest value that the peer wrote itself and sent to us after our last
  // release.
  std::map<MasterId, LockValue> told;

  void heard(MasterId peer, const LockMessage& message) {
    if (message.value.stamp.master != peer) return;
    LockValue& newest = told[peer];
    if (message.value.stamp > newest.stamp) newest = message.value;
  }
  // Makes the caller's grant from the machine's grant and from the peers' values in `told`. A
  // single uncertain value requires a fence even if the newest value is certain.
  [[nodiscard]] KeyGranted granted(const GroupKey& name, Granted&& grant, bool always_fence) {
    KeyGranted made{name, grant.token, std::move(grant.value), grant.needs_fence || always_fence};
    for (auto& [peer, said] : told) {
      if (said.stamp == made.value.stamp) continue;
      made.needs_fence = made.needs_fence || said.uncertain;
      if (!said.bytes.empty()) made.earlier.push_back(said.bytes);
    }
    return made;
  }

  [[nodiscard]] bool forgettable() const {
    return std::visit([](const auto& seen) { return seen.forgettable(); }, machine);
  }
};

auto ask(const AnyMachine& machine, auto question) {
  return std::visit(question, machine);
}

[[nodiscard]] inline FencingToken highest_token(const AnyMachine& machine) {
  return ask(machine, [](const auto& seen) { return seen.highest(); });
}

// Makes the release for a holder whose lease has passed. The holder's latest orders are unknown
// here, so the next holder has to fence. The stamp names us, as in every value that we write,
// because peers store the value as written by us.
[[nodiscard]] inline Release release_of_lapsed(FencingToken highest, LockValue value,
                                               MasterId self) {
  Release release{token_after(highest, self), std::move(value)};
  release.value.stamp = release.token;
  release.value.uncertain = true;
  return release;
}

[[nodiscard]] inline Release release_of_lapsed(const AnyMachine& machine, MasterId self) {
  return ask(machine, [&](const auto& seen) {
    return release_of_lapsed(seen.highest(), seen.value(), self);
  });
}

// The only two numbers that we keep of all forgotten keys together. A key's next machine starts
// above both numbers, so it repeats no round and no counter of the key.
struct Forgotten {
  std::uint64_t rounds = 0;  // highest round of any machine
  std::uint64_t floor = 0;   // highest counter of any token

  void leave_behind(const AnyMachine& machine) {
    rounds = std::max(rounds, ask(machine, [](const auto& seen) { return seen.round(); }));
    raise(highest_token(machine).counter);
  }
  void raise(std::uint64_t counter) {
    if (counter <= largest_counter) floor = std::max(floor, counter);
  }
};

inline void step_above(std::uint64_t floor, AnyMachine& machine, const LockEvent& event,
                       TimePoint now, LockActions& out) {
  const auto step = [&](auto& each) {
    each.raise(floor);
    each.step(event, now, out);
  };
  std::visit(step, machine);
}

// A full table examines at most this number of keys to find a key that it can forget. This bounds
// the work that a flood of keys can cause.
inline constexpr std::size_t eviction_candidates = 64;

inline void count(LockStatistics& statistics, LostReason reason) {
  switch (reason) {
    case LostReason::wait_timeout: ++statistics.wait_timeouts; return;
    case LostReason::lease_timeout: ++statistics.lease_timeouts; return;
    case LostReason::engine_failure: ++statistics.engine_failures; return;
  }
}

}  // namespace fixkeep::lock
