#include "lock/core/mesh/coordinator.hpp"

#include <algorithm>

#include "common/base/assert.hpp"

namespace fixkeep::lock {

Coordinator::Coordinator(const MeshView& mesh)
    : mesh_(mesh),
      lease_(mesh.lease),
      patience_(mesh.lease * 3 / 2),
      take_over_wait_(std::max(patience_ - mesh.since_loss, Duration{0})),
      round_(mesh.used_rounds),
      // We know all holders if every master has sent its Hello, or if the last loss of a peer is at
      // least `patience_` ago: a hold ends at most one lease after its coordinator went down.
      knows_holders_(mesh.joined &&
                     ((mesh.met && !mesh_.split()) || take_over_wait_ == Duration{0})) {}

void Coordinator::step(const LockEvent& event, TimePoint now, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, now, out); }, event);
  serve(now, out);
  if (const auto next = next_timer(); next != timer_) {
    timer_ = next;
    out.emplace_back(SetTimer{std::max(next, now + Duration{1})});  // `next` may be due already
  }
}

std::optional<LockMessage> Coordinator::hello() const {
  switch (state_) {
    case State::none:
    case State::joining: return {};
    case State::asking: return mesh_.message(CoordinatorKind::request, round_);
    case State::acquired: return mesh_.message(CoordinatorKind::holding, round_);
  }
  return {};
}

std::string_view Coordinator::kind_name(std::uint8_t kind) {
  constexpr std::array<std::string_view, 8> names{"?",       "Request", "Grant",   "Release",
                                                  "Holding", "Renew",   "Renewed", "Revoked"};
  return kind < names.size() ? names[kind] : "?";
}

MasterId Coordinator::coordinator() const {
  // The set is ordered: its first master is the lowest.
  const auto& connected = mesh_.connected;
  return connected.empty() ? mesh_.self : std::min(mesh_.self, *connected.begin());
}

// --- the mesh

void Coordinator::on(const Receive& receive, TimePoint now, LockActions& out) {
  const auto from = receive.from;
  const auto& message = receive.message;
  if (!mesh_.up.contains(from)) return;  // an unknown master: the driver broke promise 4
  mesh_.learn(message.token, message.value);
  switch (static_cast<CoordinatorKind>(message.kind)) {
    case CoordinatorKind::request: asked(from, message.round); return;
    case CoordinatorKind::grant: granted_by(from, message, now, out); return;
    case CoordinatorKind::release: released_by(from, message.round); return;
    case CoordinatorKind::holding: holds(from, message.round, now); return;
    case CoordinatorKind::renew: {
      const auto holder = holders_.find(from);
      const bool known = holder != holders_.end() && holder->second == message.round;
      if (known) lease_ends_ = now + patience_;
      send(from, known ? CoordinatorKind::renewed : CoordinatorKind::revoked, message.round, out);
      return;
    }
    case CoordinatorKind::renewed:
      if (state_ == State::acquired && message.round == round_) renew_at_ = now + lease_ / 2;
      return;
    case CoordinatorKind::revoked:
      if (state_ != State::acquired || message.round != round_ || from != coordinator()) return;
      state_ = State::none;
      renew_at_.reset();
      out.emplace_back(Lost{LostReason::lease_timeout});
      return;
  }
  // Ignores a message of an unknown kind: from another strategy or a later version.
}

void Coordinator::on(const PeerConnected& connected, TimePoint now, LockActions&) {
  const bool stood = coordinates();
  mesh_.on(connected);
  if (!stood || coordinates()) return;
  // The new peer coordinates from now on. Our Hello contains our request. The masters that hold the
  // lock by our grants report to the new coordinator themselves.
  holders_.clear();
  lease_ends_.reset();
  took_over_.reset();
  forget_question(mesh_.self);
  if (state_ == State::acquired) renew_at_ = now + lease_ / 2;
}

void Coordinator::on(const PeerUp& up, TimePoint now, LockActions& out) {
  mesh_.on(up);
  forget_question(up.peer);
  const auto kind = up.hello ? static_cast<CoordinatorKind>(up.hello->kind) : CoordinatorKind{};
  if (kind == CoordinatorKind::request) asked(up.peer, up.hello->round);
  if (kind == CoordinatorKind::holding) {
    holds(up.peer, up.hello->round, now);
  } else {
    vanished(up.peer);
  }
  // Now we know all holders: every other master is up. Its Hello has told us its hold, and it sends
  // us all changes.
  if (mesh_.joined() && !mesh_.split() && coordinates()) {
    knows_holders_ = true;
    took_over_.reset();
  }
  ask_if_joined(out);
}

void Coordinator::on(const PeerDown& down, TimePoint now, LockActions& out) {
  const auto before = coordinator();
  mesh_.on(down);
  forget_question(down.peer);
  if (coordinator() == before) return;
  if (coordinates()) {
    // We may not know all holders. A master that holds the lock by a grant of `before` reports to
    // us only if it can reach us. `before` itself may hold the lock, too. We wait until such holds
    // have ended.
    knows_holders_ = !mesh_.rules.lease_wait;
    take_over_wait_ = patience_;
    if (!knows_holders_) took_over_ = now + patience_;
  }
  if (state_ == State::asking || state_ == State::acquired) tell_coordinator(out);
}

void Coordinator::on(const JoinGraceLapsed& lapsed, TimePoint, LockActions& out) {
  mesh_.on(lapsed);
  ask_if_joined(out);
}

void Coordinator::on(const MastersListed& listed, TimePoint, LockActions& out) {
  mesh_.on(listed);
  ask_if_joined(out);
}

void Coordinator::on(const Tick&, TimePoint now, LockActions& out) {
  // Handles the earliest timer, even if `now` is before that timer's time: the model checker knows
  // only the order of times. Also handles all other timers that are due, because a paused master
  // gets only one Tick for all due timers.
  const auto due = std::max(next_timer(), now);
  const auto has_come = [due](const auto& at) { return at && *at <= due; };
  timer_ = TimePoint::max();
  if (next_timer() == TimePoint::max()) return;
  if (has_come(took_over_)) {
    took_over_.reset();
    knows_holders_ = true;
  }
  if (has_come(lease_ends_)) {
    lease_ends_.reset();
    const auto lapsed = holders_;
    for (const auto& [holder, round] : lapsed) {
      if (holder == mesh_.self) continue;
      vanished(holder);
      if (mesh_.connected.contains(holder)) send(holder, CoordinatorKind::revoked, round, out);
    }
  }
  if (has_come(renew_at_)) {
    renew_at_.reset();  // the answer sets renew_at_ again; without an answer our lease expires
    if (!coordinates()) send(coordinator(), CoordinatorKind::renew, round_, out);
  }
}

void Coordinator::on(const Acquire&, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::none, state());
  state_ = State::joining;
  ask_if_joined(out);
}

void Coordinator::ask_if_joined(LockActions& out) {
  if (state_ != State::joining || !mesh_.joined()) return;
  state_ = State::asking;
  ++round_;
  tell_coordinator(out);
}

// REQUIRES: we ask or hold.
void Coordinator::tell_coordinator(LockActions& out) {
  const bool asks = state_ == State::asking;
  if (!coordinates()) {
    send(coordinator(), asks ? CoordinatorKind::request : CoordinatorKind::holding, round_, out);
  } else if (asks) {
    asked(mesh_.self, round_);
  } else {
    holders_[mesh_.self] = round_;
  }
}

void Coordinator::on(const Abandon&, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  give_up(out);
}

void Coordinator::on(const Release& release, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  mesh_.learn(release.token, release.value);
  give_up(out);
}

void Coordinator::give_up(LockActions& out) {
  const bool told = state_ == State::asking || state_ == State::acquired;
  state_ = State::none;
  renew_at_.reset();
  if (!told) return;
  released_by(mesh_.self, round_);
  if (!coordinates()) send(coordinator(), CoordinatorKind::release, round_, out);
}

void Coordinator::granted_by(MasterId from, const LockMessage& message, TimePoint now,
                             LockActions& out) {
  const bool ours = !mesh_.rules.own_coordinator || from == coordinator();
  if (state_ == State::asking && message.round == round_ && ours) {
    acquire(message.value.uncertain, now, out);
  } else if (state_ != State::acquired || message.round != round_) {
    send(from, CoordinatorKind::release, message.round, out);  // `from` waits for our release
  }
}

void Coordinator::acquire(bool uncertain, TimePoint now, LockActions& out) {
  state_ = State::acquired;
  if (!coordinates()) renew_at_ = now + lease_ / 2;
  auto granted = mesh_.grant();
  granted.needs_fence = granted.needs_fence || uncertain;
  out.emplace_back(std::move(granted));
}

void Coordinator::asked(MasterId peer, std::uint64_t round) {
  forget_question(peer);
  queue_.emplace_back(peer, round);
}

void Coordinator::holds(MasterId peer, std::uint64_t round, TimePoint now) {
  forget_question(peer);
  holders_[peer] = round;  // even if we do not know yet that we are the coordinator

  lease_ends_ = now + patience_;
}

void Coordinator::released_by(MasterId peer, std::uint64_t round) {
  std::erase(queue_, std::pair{peer, round});
  const auto holder = holders_.find(peer);
  if (holder != holders_.end() && holder->second == round) {
    holders_.erase(holder);
    remembers_ = true;
  }
  if (holders_.empty()) lease_ends_.reset();
}

// Ends the peer's hold, if any. The peer has not reported how the hold ended, so the next holder
// has to fence.
void Coordinator::vanished(MasterId peer) {
  if (holders_.erase(peer) == 0) return;
  if (holders_.empty()) lease_ends_.reset();
  if (!coordinates()) return;  // the peer's release goes to its own coordinator
  mesh_.value.stamp = mesh_.highest;
  mesh_.value.uncertain = true;
}

void Coordinator::forget_question(MasterId peer) {
  std::erase_if(queue_, [peer](const auto& entry) { return entry.first == peer; });
}

void Coordinator::serve(TimePoint now, LockActions& out) {
  if (!coordinates() || !mesh_.joined() || queue_.empty() || !holders_.empty()) return;
  if (!knows_holders_ && !took_over_ && take_over_wait_ > Duration{0}) {
    took_over_ = now + take_over_wait_;
  }
  if (took_over_) return;
  knows_holders_ = true;
  const auto [client, round] = queue_.front();
  queue_.erase(queue_.begin());
  holders_[client] = round;
  if (client == mesh_.self) {
    acquire(!remembers_, now, out);
    return;
  }
  auto grant = mesh_.message(CoordinatorKind::grant, round);
  grant.value.uncertain = grant.value.uncertain || !remembers_;
  out.emplace_back(Send{client, std::move(grant)});
  // The client makes its token from our highest token. We count the client's token as used now,
  // because the client may crash before it reports the token.
  mesh_.highest = token_after(mesh_.highest, client);
  lease_ends_ = now + patience_;
}

TimePoint Coordinator::next_timer() const {
  auto next = TimePoint::max();
  for (const auto& at : {took_over_, lease_ends_, renew_at_}) {
    if (at) next = std::min(next, *at);
  }
  return next;
}

void Coordinator::send(MasterId to, CoordinatorKind kind, std::uint64_t round,
                       LockActions& out) const {
  const bool question = kind == CoordinatorKind::request || kind == CoordinatorKind::renew;
  out.emplace_back(Send{to, mesh_.message(kind, round, !question)});
}

}  // namespace fixkeep::lock
