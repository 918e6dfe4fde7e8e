// The members of BasicRedlock, for redlock_machine.cpp and for the tests that make broken variants.
// redlock_machine.hpp says everything that a user has to know, the thread rule included.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/assert.hpp"
#include "common/lock/server/redlock_machine.hpp"
#include "common/lock/server/redlock_rounds_rules.hpp"

namespace fixkeep::lock {

template <class Checks>
std::string_view BasicRedlock<Checks>::state() const {
  constexpr std::array<std::string_view, 5> names{"idle", "pausing", "asking", "raising", "held"};
  return names[static_cast<std::size_t>(state_)];
}

template <class Checks>
void BasicRedlock<Checks>::step(const RedlockEvent& event, TimePoint now, Random& random,
                                RedlockActions& out) {
  std::erase_if(unanswered_, [now](const Unanswered& each) { return now >= each.until; });
  // Before the lock lapses: nothing is sent to a server that is down, a release neither.
  if (const auto* down = std::get_if<ServerDown>(&event)) up_.erase(down->server);
  // A release that comes late is still the caller's own, and no news of a loss is due.
  const bool asked = std::holds_alternative<AskEngine>(event);
  if (!asked && state_ == State::held && now >= valid_until_) lose(now, random, out);
  std::visit([&](const auto& each) { on(each, now, random, out); }, event);
  pass_time(now, random, out);
  if (const auto at = deadline(); at != armed_) {
    armed_ = at;
    out.emplace_back(SetTimer{at});
  }
  for (auto& each : said_) out.emplace_back(std::move(each));
  said_.clear();
}

template <class Checks>
TimePoint BasicRedlock<Checks>::deadline() const {
  auto at = TimePoint::max();
  for (const auto& each : unanswered_) at = std::min(at, each.until);
  switch (state_) {
    case State::idle: return at;
    case State::pausing: return up_.size() < options_.majority() ? at : std::min(at, next_);
    case State::asking:
    case State::raising: return std::min(at, next_);
    case State::held: return std::min({at, next_, valid_until_});
  }
  return at;
}

template <class Checks>
void BasicRedlock<Checks>::pass_time(TimePoint now, Random& random, RedlockActions& out) {
  switch (state_) {
    case State::idle: return;
    case State::pausing:
      if (now >= next_ && up_.size() >= options_.majority()) ask(now, random, out);
      return;
    case State::asking:
    case State::raising:
      if (now >= next_) fail(now, random, out);
      return;
    case State::held:
      if (now >= valid_until_) {
        lose(now, random, out);
      } else if (now >= next_) {
        extend(now, random, out);
      }
      return;
  }
}

// --- events

template <class Checks>
void BasicRedlock<Checks>::on(const AskEngine& ask, TimePoint now, Random& random,
                              RedlockActions& out) {
  switch (ask.call) {
    case AskEngine::Call::acquire:
      FIXKEEP_ASSERT(state_ == State::idle, state());
      state_ = State::pausing;
      round_ = ask.round;
      used_ = std::min(ask.token.counter, largest_counter);
      above_ = std::max(used_, std::min(ask.floor, largest_counter));
      next_ = now;
      return;
    case AskEngine::Call::abandon: {
      if (state_ == State::idle || ask.round != round_) return;
      // The lock was not used, and so leaves what it found. A grant that said `needs_fence` leaves
      // the need also to servers that were clean themselves.
      const bool fence = state_ == State::held && needs_fence_;
      const auto how = fence ? ReleaseCommand::How::leave : ReleaseCommand::How::undo;
      give_back({how, 0, {}, Checks::owner}, now, random, out);
      state_ = State::idle;
      return;
    }
    case AskEngine::Call::release:
      // The release is of a round that was lost: its value is lost as well, and the next holder
      // fences.
      if (state_ != State::held || ask.round != round_) return;
      give_back({ReleaseCommand::How::clean, std::min(ask.token.counter, largest_counter),
                 ask.value, Checks::owner},
                now, random, out);
      state_ = State::idle;
      return;
  }
}

template <class Checks>
void BasicRedlock<Checks>::on(const Stop&, TimePoint now, Random& random, RedlockActions& out) {
  // Its holder may have sent orders that are still on their way.
  const auto how = holding() ? ReleaseCommand::How::leave : ReleaseCommand::How::undo;
  give_back({how, 0, {}, Checks::owner}, now, random, out);
  state_ = State::idle;
}

template <class Checks>
void BasicRedlock<Checks>::on(const ServerReplied& reply, TimePoint now, Random& random,
                              RedlockActions& out) {
  for (auto& each : unanswered_) {
    if (each.release.serial == reply.serial) each.pending.erase(reply.server);
  }
  std::erase_if(unanswered_, [](const Unanswered& each) { return each.pending.empty(); });
  if (reply.serial != serial_ || !asked_.contains(reply.server)) return;
  asked_.erase(reply.server);
  if (const auto* attempt = std::get_if<AcquireReply>(&reply.said)) {
    if (attempt->granted) count(*attempt);
    note(reply.server, attempt->granted);
  } else if (const auto* owner = std::get_if<OwnerReply>(&reply.said)) {
    note(reply.server, owner->owned);
  }
  decide(now, random, out);
}

// What a server answered to the question whether the lock is ours there.
template <class Checks>
void BasicRedlock<Checks>::note(std::size_t server, bool ours) {
  if (ours) {
    yes_.insert(server);
  } else {
    touched_.erase(server);
  }
}

template <class Checks>
void BasicRedlock<Checks>::on(const ServerUp& up, TimePoint now, Random&, RedlockActions& out) {
  up_.insert(up.server);
  for (const auto& each : unanswered_) {
    if (each.pending.contains(up.server)) out.emplace_back(SendCommand{up.server, each.release});
  }
  // It may be the one that the majority lacks: it is asked at once.
  if (state_ == State::held) next_ = now;
}

template <class Checks>
void BasicRedlock<Checks>::on(const ServerDown& down, TimePoint now, Random& random,
                              RedlockActions& out) {
  if (!asked_.contains(down.server)) return;
  asked_.erase(down.server);
  decide(now, random, out);
}

}  // namespace fixkeep::lock
