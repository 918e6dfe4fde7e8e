// The rules of BasicCoordinator: a master that wants the lock, or has it. Part of
// coordinator_rules.hpp.
#pragma once

#include "common/base/assert.hpp"
#include "common/lock/mesh/coordinator.hpp"

namespace fixkeep::lock {

template <class Rules>
void BasicCoordinator<Rules>::on(const Acquire&, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::none, state());
  state_ = State::joining;
  ask_if_joined(out);
}

template <class Rules>
void BasicCoordinator<Rules>::ask_if_joined(LockActions& out) {
  if (state_ != State::joining || !mesh_.joined()) return;
  state_ = State::asking;
  ++round_;
  tell_coordinator(out);
}

// REQUIRES: we ask or hold.
template <class Rules>
void BasicCoordinator<Rules>::tell_coordinator(LockActions& out) {
  const bool asks = state_ == State::asking;
  if (!coordinates()) {
    send(coordinator(), asks ? CoordinatorKind::request : CoordinatorKind::holding, round_, out);
  } else if (asks) {
    asked(mesh_.self, round_);
  } else {
    holders_[mesh_.self] = round_;
  }
}

template <class Rules>
void BasicCoordinator<Rules>::on(const Abandon&, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  give_up(out);
}

template <class Rules>
void BasicCoordinator<Rules>::on(const Release& release, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  mesh_.learn(release.token, release.value);
  give_up(out);
}

template <class Rules>
void BasicCoordinator<Rules>::give_up(LockActions& out) {
  const bool told = state_ == State::asking || state_ == State::acquired;
  state_ = State::none;
  renew_at_.reset();
  if (!told) return;
  released_by(mesh_.self, round_);
  if (!coordinates()) send(coordinator(), CoordinatorKind::release, round_, out);
}

template <class Rules>
void BasicCoordinator<Rules>::granted_by(MasterId from, const LockMessage& message, TimePoint now,
                                         LockActions& out) {
  const bool ours = !Rules::own_coordinator_only || from == coordinator();
  if (state_ == State::asking && message.round == round_ && ours) {
    acquire(message.value.uncertain, now, out);
  } else if (state_ != State::acquired || message.round != round_) {
    send(from, CoordinatorKind::release, message.round, out);  // it waits for our release
  }
}

template <class Rules>
void BasicCoordinator<Rules>::acquire(bool uncertain, TimePoint now, LockActions& out) {
  state_ = State::acquired;
  if (!coordinates()) renew_at_ = now + lease_ / 2;
  auto granted = mesh_.grant();
  granted.needs_fence = granted.needs_fence || uncertain;
  if (!Rules::fences && round_ > 1) granted.needs_fence = granted.value.uncertain;
  out.emplace_back(std::move(granted));
}

}  // namespace fixkeep::lock
