// The rules of BasicCoordinator: what it hears, and what becomes of it; what a master does that
// wants the lock, and what the coordinator does, is in the two files included below. Included by
// coordinator.cpp and by the model checker, which instantiates them with single rules switched off;
// all other code includes coordinator.hpp.
#pragma once

#include <algorithm>

#include "common/base/assert.hpp"
#include "common/lock/mesh/coordinator.hpp"
#include "common/lock/mesh/coordinator_client_rules.hpp"
#include "common/lock/mesh/coordinator_server_rules.hpp"

namespace fixkeep::lock {

template <class Rules>
BasicCoordinator<Rules>::BasicCoordinator(const MeshView& mesh)
    : mesh_(mesh),
      lease_(mesh.lease),
      patience_(mesh.lease * 3 / 2),
      take_over_wait_(std::max(patience_ - mesh.since_loss, Duration{0})),
      round_(mesh.used_rounds),
      // Nobody can hold the key by the grant of a master that has been gone for longer than a
      // lease.
      knows_holders_(mesh.joined &&
                     ((mesh.met && !mesh_.split()) || take_over_wait_ == Duration{0})) {}

template <class Rules>
void BasicCoordinator<Rules>::step(const LockEvent& event, TimePoint now, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, now, out); }, event);
  serve(now, out);
  if (const auto next = next_timer(); next != timer_) {
    timer_ = next;
    out.emplace_back(SetTimer{std::max(next, now + Duration{1})});  // it may be due already
  }
}

template <class Rules>
std::optional<LockMessage> BasicCoordinator<Rules>::hello() const {
  switch (state_) {
    case State::none:
    case State::joining: return {};
    case State::asking: return mesh_.message(CoordinatorKind::request, round_);
    case State::acquired: return mesh_.message(CoordinatorKind::holding, round_);
  }
  return {};
}

template <class Rules>
std::string_view BasicCoordinator<Rules>::kind_name(std::uint8_t kind) {
  constexpr std::array<std::string_view, 8> names{"?",       "Request", "Grant",   "Release",
                                                  "Holding", "Renew",   "Renewed", "Revoked"};
  return kind < names.size() ? names[kind] : "?";
}

template <class Rules>
MasterId BasicCoordinator<Rules>::coordinator() const {
  // The set is in order, so its first one is the lowest.
  const auto& connected = mesh_.connected;
  return connected.empty() ? mesh_.self : std::min(mesh_.self, *connected.begin());
}

// --- the mesh

template <class Rules>
void BasicCoordinator<Rules>::on(const Receive& receive, TimePoint now, LockActions& out) {
  const auto from = receive.from;
  const auto& message = receive.message;
  if (!mesh_.up.contains(from)) return;  // not the driver's promise 3; nobody we know
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
  // A kind of another strategy or of a later version: nothing to us.
}

template <class Rules>
void BasicCoordinator<Rules>::on(const PeerConnected& connected, TimePoint now, LockActions&) {
  const bool stood = coordinates();
  mesh_.on(connected);
  if (!stood || coordinates()) return;
  // It coordinates from now on. Our Hello told it what we want, and the holders by our grant tell
  // it so themselves.
  holders_.clear();
  lease_ends_.reset();
  took_over_.reset();
  forget_question(mesh_.self);
  if (state_ == State::acquired) renew_at_ = now + lease_ / 2;
}

template <class Rules>
void BasicCoordinator<Rules>::on(const PeerUp& up, TimePoint now, LockActions& out) {
  mesh_.on(up);
  forget_question(up.peer);
  const auto kind = up.hello ? static_cast<CoordinatorKind>(up.hello->kind) : CoordinatorKind{};
  if (kind == CoordinatorKind::request) asked(up.peer, up.hello->round);
  if (kind == CoordinatorKind::holding) {
    holds(up.peer, up.hello->round, now);
  } else {
    vanished(up.peer);
  }
  // Every Hello has been heard in this life, and the masters that are connected tell us all
  // changes.
  if (mesh_.joined() && !mesh_.split() && coordinates()) {
    knows_holders_ = true;
    took_over_.reset();
  }
  ask_if_joined(out);
}

template <class Rules>
void BasicCoordinator<Rules>::on(const PeerDown& down, TimePoint now, LockActions& out) {
  const auto before = coordinator();
  mesh_.on(down);
  forget_question(down.peer);
  if (coordinator() == before) return;
  if (coordinates()) {
    // The holders by the grant of `before` tell us, if they can; `before` itself cannot.
    knows_holders_ = !Rules::waits_for_leases;
    take_over_wait_ = patience_;
    if (!knows_holders_) took_over_ = now + patience_;
  }
  if (state_ == State::asking || state_ == State::acquired) tell_coordinator(out);
}

template <class Rules>
void BasicCoordinator<Rules>::on(const JoinGraceLapsed& lapsed, TimePoint, LockActions& out) {
  mesh_.on(lapsed);
  ask_if_joined(out);
}

template <class Rules>
void BasicCoordinator<Rules>::on(const MastersListed& listed, TimePoint, LockActions& out) {
  mesh_.on(listed);
  ask_if_joined(out);
}

template <class Rules>
void BasicCoordinator<Rules>::on(const Tick&, TimePoint now, LockActions& out) {
  // At least the earliest one is handled: the model checker knows an order of times, but no times.
  // So are all others whose time has come, for a master that slept hears of them together.
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
    renew_at_.reset();  // the answer sets it anew; without one our lease ends by itself
    if (!coordinates()) send(coordinator(), CoordinatorKind::renew, round_, out);
  }
}

}  // namespace fixkeep::lock
