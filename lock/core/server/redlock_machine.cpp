#include "lock/core/server/redlock_machine.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::lock {
namespace {

// Returns the master's number and 128 random bits. Masters with the same seed thus have different
// owner values.
std::string make_owner(MasterId self, Random& random) {
  constexpr std::string_view digits = "0123456789abcdef";
  auto owner = to_string(self) + "-";
  for (int word = 0; word < 2; ++word) {
    auto bits = random.next();
    for (int digit = 0; digit < 16; ++digit, bits >>= 4U) owner += digits[bits & 15U];
  }
  return owner;
}

}  // namespace

std::string_view RedlockMachine::state() const {
  constexpr std::array<std::string_view, 5> names{"idle", "pausing", "asking", "raising", "held"};
  return names[static_cast<std::size_t>(state_)];
}

void RedlockMachine::step(const RedlockEvent& event, TimePoint now, Random& random,
                          RedlockActions& out) {
  std::erase_if(unanswered_, [now](const Unanswered& each) { return now >= each.until; });
  // This line must come before lose(), which sends a release only to the servers that are up.
  if (const auto* down = std::get_if<ServerDown>(&event)) up_.erase(down->server);
  // If the event is the caller's own release or abandon, no loss is reported, even if the lock's
  // validity has ended.
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

TimePoint RedlockMachine::deadline() const {
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

void RedlockMachine::pass_time(TimePoint now, Random& random, RedlockActions& out) {
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

void RedlockMachine::on(const AskEngine& ask, TimePoint now, Random& random, RedlockActions& out) {
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
      // The caller has not used the lock, so `undo` restores the servers' states. But after a grant
      // with `needs_fence`, `leave` keeps the states, so that the next holder fences even if some
      // servers were clean.
      const bool fence = state_ == State::held && needs_fence_;
      const auto how = fence ? ReleaseCommand::How::leave : ReleaseCommand::How::undo;
      give_back({how}, now, random, out);
      state_ = State::idle;
      return;
    }
    case AskEngine::Call::release:
      // Ignores a release for a lost round. The value in this release is lost too, and the next
      // holder fences.
      if (state_ != State::held || ask.round != round_) return;
      give_back(
          {ReleaseCommand::How::clean, std::min(ask.token.counter, largest_counter), ask.value},
          now, random, out);
      state_ = State::idle;
      return;
  }
}

void RedlockMachine::on(const Stop&, TimePoint now, Random& random, RedlockActions& out) {
  // Orders from our hold may be on their way: `leave` makes the next holder fence.
  const auto how = holding() ? ReleaseCommand::How::leave : ReleaseCommand::How::undo;
  give_back({how}, now, random, out);
  state_ = State::idle;
}

void RedlockMachine::on(const ServerReplied& reply, TimePoint now, Random& random,
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

// Notes what a server has answered: whether the lock on this server is ours.
void RedlockMachine::note(std::size_t server, bool ours) {
  if (ours) {
    yes_.insert(server);
  } else {
    touched_.erase(server);
  }
}

void RedlockMachine::on(const ServerUp& up, TimePoint now, Random&, RedlockActions& out) {
  up_.insert(up.server);
  for (const auto& each : unanswered_) {
    if (each.pending.contains(up.server)) out.emplace_back(SendCommand{up.server, each.release});
  }
  // This server may complete a majority, so the next extension is immediate.
  if (state_ == State::held) next_ = now;
}

void RedlockMachine::on(const ServerDown& down, TimePoint now, Random& random,
                        RedlockActions& out) {
  if (!asked_.contains(down.server)) return;
  asked_.erase(down.server);
  decide(now, random, out);
}

// --- the rounds of commands

void RedlockMachine::begin_round(ServerSet to, TimePoint now, Random& random) {
  serial_ = random.next();
  sent_ = now;
  asked_ = to;
  yes_ = {};
}

void RedlockMachine::ask(TimePoint now, Random& random, RedlockActions& out) {
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

void RedlockMachine::count(const AcquireReply& reply) {
  const auto after = std::max(reply.counter, above_) + 1;
  lowest_ = std::min(lowest_, after);
  highest_ = std::max(highest_, after);
  known_ = std::max(known_, reply.counter);
  // An uncertain value requires a fence even if there is a newer value, because after a loss of
  // memory, a later value can have a lower stamp.
  needs_fence_ = needs_fence_ || !reply.clean || reply.value.uncertain;
  // If two different values have the same stamp, one token was granted twice, because its master
  // had restarted and the servers had lost their memory. This grant then needs a fence.
  const bool twice = reply.value.stamp == value_.stamp && reply.value != value_;
  needs_fence_ = needs_fence_ || (twice && !yes_.empty());
  if (reply.value.stamp > value_.stamp) value_ = reply.value;
}

// Ends the round if its outcome is clear. Called after each answer and after the loss of a server
// whose answer is missing.
void RedlockMachine::decide(TimePoint now, Random& random, RedlockActions& out) {
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

// The counters of the majority differ. Raises all of them to the highest counter, and extends the
// lock to ttl from now.
void RedlockMachine::raise(TimePoint now, Random& random, RedlockActions& out) {
  state_ = State::raising;
  begin_round(touched_.within(up_), now, random);
  next_ = now + longest_round();
  send(asked_, {owner_, serial_, ExtendCommand{highest_}}, out);
  if (asked_.size() < options_.majority()) fail(now, random, out);
}

void RedlockMachine::extend(TimePoint now, Random& random, RedlockActions& out) {
  begin_round(touched_.within(up_), now, random);
  next_ = now + options_.ttl / 3;
  send(asked_, {owner_, serial_, ExtendCommand{0}}, out);
}

// Returns the time limit of a round. After a longer round, too little validity would be left. The
// limit is never above `reply` of the options.
Duration RedlockMachine::longest_round() const {
  const auto useful = options_.ttl - options_.drift() - options_.least_validity();
  return options_.checks.validity ? std::min(options_.reply, useful) : options_.reply;
}

TimePoint RedlockMachine::valid_until(TimePoint now) const {
  return (options_.checks.validity ? sent_ : now) + options_.ttl - options_.drift();
}

// --- the end of a round

void RedlockMachine::grant(TimePoint now) {
  state_ = State::held;
  valid_until_ = valid_until(now);
  next_ = std::max(now + options_.ttl / 100, sent_ + options_.ttl / 3);
  asked_ = {};
  // If these servers do not know the caller's highest token, the holder with that token did not
  // release the lock on them. This grant then needs a fence.
  needs_fence_ = needs_fence_ || used_ > known_;
  said_.push_back({round_, Granted{{highest_, options_.self}, value_, needs_fence_}});
}

void RedlockMachine::fail(TimePoint now, Random& random, RedlockActions& out) {
  give_back({ReleaseCommand::How::undo}, now, random, out);
  state_ = State::pausing;
  const auto mean = options_.retry.count();
  next_ = now + Duration{std::max<std::int64_t>(1, random.between(mean / 2, mean + mean / 2))};
}

void RedlockMachine::lose(TimePoint now, Random& random, RedlockActions& out) {
  give_back({ReleaseCommand::How::leave}, now, random, out);
  state_ = State::idle;
  said_.push_back({round_, Lost{LostReason::engine_failure}});
}

// Frees the lock on every server that may have it, also on servers that have not answered.
void RedlockMachine::give_back(ReleaseCommand release, TimePoint now, Random& random,
                               RedlockActions& out) {
  asked_ = {};
  if (touched_.empty()) return;
  release.check_owner = options_.checks.owner;
  RedlockCommand command{owner_, random.next(), std::move(release)};
  send(touched_.within(up_), command, out);
  if (unanswered_.size() == most_unanswered) unanswered_.erase(unanswered_.begin());
  unanswered_.push_back({std::move(command), touched_, now + options_.ttl});
  touched_ = {};
}

void RedlockMachine::send(ServerSet to, const RedlockCommand& command, RedlockActions& out) const {
  to.for_each([&](std::size_t server) { out.emplace_back(SendCommand{server, command}); });
}

}  // namespace fixkeep::lock
