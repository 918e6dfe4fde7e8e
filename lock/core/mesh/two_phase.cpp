#include "lock/core/mesh/two_phase.hpp"

#include <algorithm>

#include "common/base/assert.hpp"
#include "common/base/random.hpp"

namespace fixkeep::lock {

std::string_view name_of(TwoPhaseKind kind) {
  switch (kind) {
    case TwoPhaseKind::prepare: return "Prepare";
    case TwoPhaseKind::yes: return "Yes";
    case TwoPhaseKind::no: return "No";
    case TwoPhaseKind::commit: return "Commit";
    case TwoPhaseKind::abort: return "Abort";
    case TwoPhaseKind::acknowledge: return "Ack";
  }
  return "?";
}

Duration pause_of(MasterId self, FencingToken highest, std::uint64_t round, std::uint32_t tries) {
  Random random{(std::uint64_t{self.number()} << 48U) ^ (highest.counter << 16U) ^ round};
  const Duration longest = longest_pause * (1U << tries);
  const auto drawn = random.below(static_cast<std::uint64_t>(longest.count()));
  return Duration{1} + Duration{static_cast<Duration::rep>(drawn)};
}

void TwoPhase::step(const LockEvent& event, TimePoint now, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, now, out); }, event);
}

// --- the caller

void TwoPhase::on(const Acquire&, TimePoint now, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::idle, state());
  state_ = State::waiting;
  tries_ = 0;
  propose_if_free(now, out);
}

void TwoPhase::on(const Abandon&, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  if (state_ == State::preparing) abort({}, out);
  state_ = State::idle;
  stop_timer(out);
}

void TwoPhase::on(const Release& release, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  mesh_.learn(release.token, release.value);
  state_ = State::idle;
  committed_ = round_;
  unacknowledged_ = mesh_.connected;
  for (const auto peer : mesh_.connected) send(peer, TwoPhaseKind::commit, committed_, out);
}

// --- the mesh

void TwoPhase::on(const Receive& receive, TimePoint now, LockActions& out) {
  const auto from = receive.from;
  const auto round = receive.message.round;
  if (!mesh_.up.contains(from)) return;  // an unknown master: the driver broke promise 4
  mesh_.learn(receive.message.token, receive.message.value);
  switch (static_cast<TwoPhaseKind>(receive.message.kind)) {
    case TwoPhaseKind::prepare: proposed(from, round, out); return;
    case TwoPhaseKind::yes:
      if (state_ != State::preparing || round != round_) return;
      votes_.insert(from);
      grant_if_all_voted(out);
      return;
    case TwoPhaseKind::no:
      if (state_ != State::preparing || round != round_) return;
      abort(from, out);
      try_again_later(now, out);
      return;
    case TwoPhaseKind::commit:
      send(from, TwoPhaseKind::acknowledge, round, out);
      decided(from, round, now, out);
      return;
    case TwoPhaseKind::abort: decided(from, round, now, out); return;
    case TwoPhaseKind::acknowledge:
      if (round == committed_) unacknowledged_.erase(from);
      return;
  }
  // Ignores a message of an unknown kind: from another strategy or a later version.
}

void TwoPhase::proposed(MasterId peer, std::uint64_t round, LockActions& out) {
  const bool free = !has_proposal() && (!proposer_ || proposer_ == peer);
  if (mesh_.rules.one_vote && !free) {
    send(peer, TwoPhaseKind::no, round, out);
    return;
  }
  proposer_ = peer;
  proposal_ = round;
  send(peer, TwoPhaseKind::yes, round, out);
}

// Ends our doubt: the peer's proposal has been committed or aborted.
void TwoPhase::decided(MasterId peer, std::uint64_t round, TimePoint now, LockActions& out) {
  if (proposer_ != peer || round < proposal_) return;
  proposer_.reset();
  proposal_ = 0;
  // All waiting masters receive this outcome at about the same time. If they all tried immediately,
  // their proposals would collide.
  if (state_ == State::waiting && !timer_) pause(now, out);
}

void TwoPhase::on(const PeerUp& up, TimePoint now, LockActions& out) {
  mesh_.on(up);
  if (up.hello && up.hello->kind == static_cast<std::uint8_t>(TwoPhaseKind::prepare)) {
    proposed(up.peer, up.hello->round, out);
  }
  propose_if_free(now, out);
}

void TwoPhase::on(const PeerDown& down, TimePoint now, LockActions& out) {
  mesh_.on(down);
  votes_.erase(down.peer);
  unacknowledged_.erase(down.peer);
  decided(down.peer, proposal_, now, out);
  grant_if_all_voted(out);
}

void TwoPhase::on(const JoinGraceLapsed& lapsed, TimePoint now, LockActions& out) {
  mesh_.on(lapsed);
  propose_if_free(now, out);
}

void TwoPhase::on(const MastersListed& listed, TimePoint now, LockActions& out) {
  mesh_.on(listed);
  propose_if_free(now, out);
}

void TwoPhase::on(const Tick&, TimePoint now, LockActions& out) {
  if (!timer_) return;
  timer_ = false;
  if (state_ == State::preparing) {
    abort({}, out);
    try_again_later(now, out);
  } else {
    propose_if_free(now, out);
  }
}

// --- the rules

void TwoPhase::propose_if_free(TimePoint now, LockActions& out) {
  if (state_ != State::waiting || timer_ || proposer_ || !mesh_.joined()) return;
  state_ = State::preparing;
  ++round_;
  votes_.clear();
  for (const auto peer : mesh_.connected) send(peer, TwoPhaseKind::prepare, round_, out);
  grant_if_all_voted(out);
  constexpr std::uint32_t most_doublings = 3;  // the timeout grows to at most 8 times vote_timeout
  if (state_ == State::preparing) {
    set_timer(now + vote_timeout * (1U << std::min(tries_, most_doublings)), out);
  }
}

void TwoPhase::grant_if_all_voted(LockActions& out) {
  if (state_ != State::preparing || votes_ != mesh_.up) return;
  state_ = State::acquired;
  votes_.clear();
  tries_ = 0;
  stop_timer(out);
  out.emplace_back(mesh_.grant());
}

// Sends Abort to all peers that may be prepared. A peer that voted No is not prepared.
void TwoPhase::abort(std::optional<MasterId> refuser, LockActions& out) {
  votes_.clear();
  for (const auto peer : mesh_.connected) {
    if (peer != refuser) send(peer, TwoPhaseKind::abort, round_, out);
  }
}

void TwoPhase::try_again_later(TimePoint now, LockActions& out) {
  constexpr std::uint32_t most_doublings = 7;  // the pause grows to at most 128 times longest_pause
  state_ = State::waiting;
  tries_ = std::min(tries_ + 1, most_doublings);
  pause(now, out);
}

void TwoPhase::pause(TimePoint now, LockActions& out) {
  set_timer(now + pause_of(mesh_.self, mesh_.highest, round_, tries_), out);
}

void TwoPhase::send(MasterId to, TwoPhaseKind kind, std::uint64_t round, LockActions& out) const {
  out.emplace_back(Send{to, mesh_.message(kind, round, kind != TwoPhaseKind::prepare)});
}

}  // namespace fixkeep::lock
