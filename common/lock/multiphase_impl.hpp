// The rules of BasicMultiphase. Included by multiphase.cpp and by the model checker, which
// instantiates them with single amendments switched off; everybody else includes multiphase.hpp.
#pragma once

#include <algorithm>

#include "common/base/assert.hpp"
#include "common/lock/multiphase.hpp"

namespace fixkeep::lock {

template <class Amendments>
BasicMultiphase<Amendments>::BasicMultiphase(const MeshView& mesh)
    : self_(mesh.self),
      peers_(mesh.configured.size()),
      connected_(mesh.connected.begin(), mesh.connected.end()),
      up_(mesh.up.begin(), mesh.up.end()),
      round_(mesh.used_rounds) {
  if (mesh.joined) return;
  missing_.insert(mesh.configured.begin(), mesh.configured.end());
  for (const auto peer : mesh.up) missing_.erase(peer);
}

template <class Amendments>
void BasicMultiphase<Amendments>::step(const LockEvent& event, TimePoint, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, out); }, event);
}

template <class Amendments>
std::optional<LockMessage> BasicMultiphase<Amendments>::hello() const {
  if (state_ != State::soliciting && state_ != State::acquired) return {};
  LockMessage message;
  message.kind = static_cast<std::uint8_t>(MultiphaseKind::my_lock);
  message.round = round_;
  message.token = highest_;
  message.value = value_;
  return message;
}

// --- the caller

template <class Amendments>
void BasicMultiphase<Amendments>::on(const Acquire&, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::none, state());
  state_ = State::lurking;
  ask_if_nobody_asks(out);
}

template <class Amendments>
void BasicMultiphase<Amendments>::on(const Abandon&, LockActions& out) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  give_up(out);
}

template <class Amendments>
void BasicMultiphase<Amendments>::on(const Release& release, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  learn(release.token, release.value);
  give_up(out);
}

// Ends asking or holding: whoever was put off gets its grant, all others hear that nobody asks.
template <class Amendments>
void BasicMultiphase<Amendments>::give_up(LockActions& out) {
  const bool asked = state_ == State::soliciting || state_ == State::acquired;
  state_ = State::none;
  granted_.clear();
  if (!asked) return;
  for (const auto& [peer, round] : deferred_) send(peer, MultiphaseKind::your_lock, round, out);
  deferred_.clear();
  for (const auto peer : connected_) send(peer, MultiphaseKind::lock_reset, round_, out);
}

// --- the mesh

template <class Amendments>
void BasicMultiphase<Amendments>::on(const Receive& receive, LockActions& out) {
  if (!up_.contains(receive.from)) return;  // not the driver's promise 3; nobody we know
  learn(receive.message.token, receive.message.value);
  switch (static_cast<MultiphaseKind>(receive.message.kind)) {
    case MultiphaseKind::my_lock: asked(receive.from, receive.message.round, out); return;
    case MultiphaseKind::your_lock: granted_by(receive.from, receive.message.round, out); return;
    case MultiphaseKind::lock_reset:
      asking_.erase(receive.from);
      deferred_.erase(receive.from);
      if (!Amendments::gated_reset && state_ == State::lurking) asking_.clear();
      ask_if_nobody_asks(out);
      return;
  }
  // A kind of another strategy or of a later version: nothing to us.
}

template <class Amendments>
void BasicMultiphase<Amendments>::asked(MasterId peer, std::uint64_t round, LockActions& out) {
  asking_[peer] = round;
  const bool defer = state_ == State::acquired || (state_ == State::soliciting && self_ < peer);
  if (defer) {
    deferred_[peer] = round;
  } else {
    send(peer, MultiphaseKind::your_lock, round, out);
  }
}

template <class Amendments>
void BasicMultiphase<Amendments>::granted_by(MasterId peer, std::uint64_t round, LockActions& out) {
  if (state_ != State::soliciting) return;
  if (Amendments::rounds && round != round_) return;
  granted_.insert(peer);
  acquire_if_all_granted(out);
}

template <class Amendments>
void BasicMultiphase<Amendments>::on(const PeerConnected& connected, LockActions&) {
  connected_.insert(connected.peer);
}

template <class Amendments>
void BasicMultiphase<Amendments>::on(const PeerUp& up, LockActions& out) {
  up_.insert(up.peer);
  missing_.erase(up.peer);
  mesh_changed_ = true;
  if (up.hello && up.hello->kind == static_cast<std::uint8_t>(MultiphaseKind::my_lock)) {
    learn(up.hello->token, up.hello->value);
    asked(up.peer, up.hello->round, out);
  }
  ask_if_nobody_asks(out);
}

template <class Amendments>
void BasicMultiphase<Amendments>::on(const PeerDown& down, LockActions& out) {
  connected_.erase(down.peer);
  up_.erase(down.peer);
  asking_.erase(down.peer);
  deferred_.erase(down.peer);
  granted_.erase(down.peer);
  mesh_changed_ = true;
  if (state_ == State::soliciting) {
    acquire_if_all_granted(out);
  } else {
    ask_if_nobody_asks(out);
  }
}

template <class Amendments>
void BasicMultiphase<Amendments>::on(const JoinGraceLapsed&, LockActions& out) {
  missing_.clear();
  ask_if_nobody_asks(out);
}

// --- the rules

template <class Amendments>
bool BasicMultiphase<Amendments>::may_ask() const {
  return asking_.empty() && (!Amendments::join_first || missing_.empty());
}

template <class Amendments>
void BasicMultiphase<Amendments>::ask_if_nobody_asks(LockActions& out) {
  if (state_ != State::lurking || !may_ask()) return;
  state_ = State::soliciting;
  ++round_;
  granted_.clear();
  for (const auto peer : connected_) send(peer, MultiphaseKind::my_lock, round_, out);
  acquire_if_all_granted(out);
}

template <class Amendments>
void BasicMultiphase<Amendments>::acquire_if_all_granted(LockActions& out) {
  if (granted_ != up_) return;
  state_ = State::acquired;
  highest_ = {highest_.counter + 1, self_};
  // Whoever is not up may hold the lock as well, for as long as it is not.
  const bool split = Amendments::fence_while_split && up_.size() < peers_;
  out.push_back(Granted{highest_, value_, mesh_changed_ || split || value_.uncertain});
  mesh_changed_ = false;
}

template <class Amendments>
void BasicMultiphase<Amendments>::learn(FencingToken token, const LockValue& value) {
  // Beyond this it is rubbish: no cluster grants so often, and our own counting must not overflow.
  constexpr std::uint64_t largest = std::uint64_t{1} << 62U;
  if (token.counter <= largest) highest_ = std::max(highest_, token);
  if (value.stamp > value_.stamp && value.stamp.counter <= largest) value_ = value;
}

template <class Amendments>
void BasicMultiphase<Amendments>::send(MasterId to, MultiphaseKind kind, std::uint64_t round,
                                       LockActions& out) const {
  Send action{to, {}};
  action.message.kind = static_cast<std::uint8_t>(kind);
  action.message.round = round;
  action.message.token = highest_;
  if (kind != MultiphaseKind::my_lock) action.message.value = value_;
  out.push_back(std::move(action));
}

}  // namespace fixkeep::lock
