// The rounds of questions of BasicRedlock, and how they end: the second part of
// redlock_rules.hpp.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "common/lock/server/redlock_machine.hpp"

namespace fixkeep::lock {

// 128 random bits. With the master's number in front, two masters that were given the same seed
// still differ.
[[nodiscard]] inline std::string make_owner(MasterId self, Random& random) {
  constexpr std::string_view digits = "0123456789abcdef";
  auto owner = to_string(self) + "-";
  for (int word = 0; word < 2; ++word) {
    auto bits = random.next();
    for (int digit = 0; digit < 16; ++digit, bits >>= 4U) owner += digits[bits & 15U];
  }
  return owner;
}

template <class Checks>
void BasicRedlock<Checks>::begin_round(ServerSet to, TimePoint now, Random& random) {
  serial_ = random.next();
  sent_ = now;
  asked_ = to;
  yes_ = {};
}

template <class Checks>
void BasicRedlock<Checks>::ask(TimePoint now, Random& random, RedlockActions& out) {
  state_ = State::asking;
  owner_ = make_owner(options_.self, random);
  begin_round(up_, now, random);
  touched_ = up_;
  lowest_ = std::numeric_limits<std::uint64_t>::max();
  highest_ = known_ = 0;
  needs_fence_ = false;
  value_ = {};
  next_ = now + longest_round();
  send(up_, {owner_, serial_, AcquireCommand{above_}}, out);
}

template <class Checks>
void BasicRedlock<Checks>::count(const AcquireReply& reply) {
  const auto after = std::max(reply.counter, above_) + 1;
  lowest_ = std::min(lowest_, after);
  highest_ = std::max(highest_, after);
  known_ = std::max(known_, reply.counter);
  // An uncertain value counts even beside a newer one: after a loss of memory stamps may not grow.
  needs_fence_ = needs_fence_ || !reply.clean || reply.value.uncertain;
  // Two values under one token are of two lives of a master, between which the servers forgot.
  const bool twice = reply.value.stamp == value_.stamp && reply.value != value_;
  needs_fence_ = needs_fence_ || (twice && !yes_.empty());
  if (reply.value.stamp > value_.stamp) value_ = reply.value;
}

// After an answer, or the loss of one that was waited for.
template <class Checks>
void BasicRedlock<Checks>::decide(TimePoint now, Random& random, RedlockActions& out) {
  const auto majority = options_.majority();
  const bool granted = yes_.size() >= majority;
  switch (state_) {
    case State::idle:
    case State::pausing: return;
    case State::asking:
    case State::raising:
      if (granted && valid_until(now) - now >= options_.least_validity()) {
        if (state_ == State::asking && lowest_ != highest_) {
          raise(now, random, out);
        } else {
          grant(now);
        }
      } else if (granted || yes_.size() + asked_.size() < majority) {
        fail(now, random, out);
      }
      return;
    case State::held:
      if (granted) {
        valid_until_ = valid_until(now);
        asked_ = {};
      } else if (touched_.size() < majority) {
        lose(now, random, out);
      }
      return;
  }
}

// The counters of the majority differ. The lock lasts ttl from here on as well.
template <class Checks>
void BasicRedlock<Checks>::raise(TimePoint now, Random& random, RedlockActions& out) {
  state_ = State::raising;
  begin_round(touched_.within(up_), now, random);
  next_ = now + longest_round();
  send(asked_, {owner_, serial_, ExtendCommand{highest_}}, out);
  if (asked_.size() < options_.majority()) fail(now, random, out);
}

template <class Checks>
void BasicRedlock<Checks>::extend(TimePoint now, Random& random, RedlockActions& out) {
  begin_round(touched_.within(up_), now, random);
  next_ = now + options_.ttl / 3;
  send(asked_, {owner_, serial_, ExtendCommand{0}}, out);
}

// A longer time would leave too little validity, or be of no use.
template <class Checks>
Duration BasicRedlock<Checks>::longest_round() const {
  const auto useful = options_.ttl - options_.drift() - options_.least_validity();
  return Checks::validity ? std::min(options_.reply, useful) : options_.reply;
}

template <class Checks>
TimePoint BasicRedlock<Checks>::valid_until(TimePoint now) const {
  return (Checks::validity ? sent_ : now) + options_.ttl - options_.drift();
}

// --- how they end

template <class Checks>
void BasicRedlock<Checks>::grant(TimePoint now) {
  state_ = State::held;
  valid_until_ = valid_until(now);
  next_ = std::max(now + options_.ttl / 100, sent_ + options_.ttl / 3);
  asked_ = {};
  // These servers do not know the token that we know of, so its holder did not release it to them.
  needs_fence_ = needs_fence_ || used_ > known_;
  said_.push_back({round_, Granted{{highest_, options_.self}, value_, needs_fence_}});
}

template <class Checks>
void BasicRedlock<Checks>::fail(TimePoint now, Random& random, RedlockActions& out) {
  give_back({ReleaseCommand::How::undo, 0, {}, Checks::owner}, now, random, out);
  state_ = State::pausing;
  const auto mean = options_.retry.count();
  next_ = now + Duration{std::max<std::int64_t>(1, random.between(mean / 2, mean + mean / 2))};
}

template <class Checks>
void BasicRedlock<Checks>::lose(TimePoint now, Random& random, RedlockActions& out) {
  give_back({ReleaseCommand::How::leave, 0, {}, Checks::owner}, now, random, out);
  state_ = State::idle;
  said_.push_back({round_, Lost{LostReason::engine_failure}});
}

// Frees the lock wherever it may be set, which is also where no answer came from.
template <class Checks>
void BasicRedlock<Checks>::give_back(ReleaseCommand release, TimePoint now, Random& random,
                                     RedlockActions& out) {
  asked_ = {};
  if (touched_.empty()) return;
  RedlockCommand command{owner_, random.next(), std::move(release)};
  send(touched_.within(up_), command, out);
  if (unanswered_.size() == most_unanswered) unanswered_.erase(unanswered_.begin());
  unanswered_.push_back({std::move(command), touched_, now + options_.ttl});
  touched_ = {};
}

template <class Checks>
void BasicRedlock<Checks>::send(ServerSet to, const RedlockCommand& command,
                                RedlockActions& out) const {
  to.for_each([&](std::size_t server) { out.emplace_back(SendCommand{server, command}); });
}

}  // namespace fixkeep::lock
