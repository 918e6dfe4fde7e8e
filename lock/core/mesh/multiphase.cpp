#include "lock/core/mesh/multiphase.hpp"

#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::lock {

Multiphase::Multiphase(const MeshView& mesh) : mesh_(mesh), round_(mesh.used_rounds) {}

void Multiphase::step(const LockEvent& event, TimePoint, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, out); }, event);
}

std::optional<LockMessage> Multiphase::hello() const {
  if (state_ != State::soliciting && state_ != State::acquired) return {};
  return mesh_.message(MultiphaseKind::my_lock, round_);
}

std::string_view Multiphase::kind_name(std::uint8_t kind) {
  switch (static_cast<MultiphaseKind>(kind)) {
    case MultiphaseKind::my_lock: return "MyLock";
    case MultiphaseKind::your_lock: return "YourLock";
    case MultiphaseKind::lock_reset: return "LockReset";
  }
  return "?";
}

// --- the caller

void Multiphase::on(const Acquire&, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::none, state());
  state_ = State::lurking;
  ask_if_nobody_asks(out);
}

void Multiphase::on(const Abandon&, LockActions& out) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  give_up(out);
}

void Multiphase::on(const Release& release, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  mesh_.learn(release.token, release.value);
  give_up(out);
}

// Ends our request or hold: deferred peers get their grants and all peers get LockReset.
void Multiphase::give_up(LockActions& out) {
  const bool asked = state_ == State::soliciting || state_ == State::acquired;
  state_ = State::none;
  granted_.clear();
  if (!asked) return;
  for (const auto& [peer, round] : deferred_) send(peer, MultiphaseKind::your_lock, round, out);
  deferred_.clear();
  for (const auto peer : mesh_.connected) send(peer, MultiphaseKind::lock_reset, round_, out);
}

// --- the mesh

void Multiphase::on(const Receive& receive, LockActions& out) {
  if (!mesh_.up.contains(receive.from)) return;  // an unknown master: the driver broke promise 4
  mesh_.learn(receive.message.token, receive.message.value);
  mesh_.heard_from(receive.from, receive.message.value);
  switch (static_cast<MultiphaseKind>(receive.message.kind)) {
    case MultiphaseKind::my_lock:
      asked(receive.from, receive.message.round, out);
      if (receive.message.awaited && !deferred_.contains(receive.from)) {
        mesh_.consented(receive.from);
      }
      return;
    case MultiphaseKind::your_lock: granted_by(receive.from, receive.message.round, out); return;
    case MultiphaseKind::lock_reset:
      asking_.erase(receive.from);
      deferred_.erase(receive.from);
      if (!mesh_.rules.gated_reset && state_ == State::lurking) asking_.clear();
      ask_if_nobody_asks(out);
      return;
  }
  // Ignores a message of an unknown kind: from another strategy or a later version.
}

void Multiphase::asked(MasterId peer, std::uint64_t round, LockActions& out) {
  asking_[peer] = round;
  const bool defer =
      state_ == State::acquired || (state_ == State::soliciting && mesh_.self < peer);
  if (defer) {
    deferred_[peer] = round;
  } else {
    send(peer, MultiphaseKind::your_lock, round, out);
  }
}

void Multiphase::granted_by(MasterId peer, std::uint64_t round, LockActions& out) {
  if (state_ != State::soliciting) return;
  if (mesh_.rules.rounds && round != round_) return;
  granted_.insert(peer);
  acquire_if_all_granted(out);
}

void Multiphase::on(const PeerConnected& connected, LockActions&) {
  mesh_.on(connected);
}

void Multiphase::on(const PeerUp& up, LockActions& out) {
  mesh_.on(up);
  if (up.hello && up.hello->kind == static_cast<std::uint8_t>(MultiphaseKind::my_lock)) {
    asked(up.peer, up.hello->round, out);
  }
  ask_if_nobody_asks(out);
}

void Multiphase::on(const PeerDown& down, LockActions& out) {
  mesh_.on(down);
  asking_.erase(down.peer);
  deferred_.erase(down.peer);
  granted_.erase(down.peer);
  if (state_ == State::soliciting) {
    acquire_if_all_granted(out);
  } else {
    ask_if_nobody_asks(out);
  }
}

void Multiphase::on(const JoinGraceLapsed& lapsed, LockActions& out) {
  mesh_.on(lapsed);
  ask_if_nobody_asks(out);
}

void Multiphase::on(const MastersListed& listed, LockActions& out) {
  mesh_.on(listed);
  ask_if_nobody_asks(out);
}

// --- the rules

void Multiphase::ask_if_nobody_asks(LockActions& out) {
  if (state_ != State::lurking || !asking_.empty() || !mesh_.joined()) return;
  state_ = State::soliciting;
  ++round_;
  granted_.clear();
  for (const auto peer : mesh_.connected) send(peer, MultiphaseKind::my_lock, round_, out);
  acquire_if_all_granted(out);
}

void Multiphase::acquire_if_all_granted(LockActions& out) {
  if (granted_ != mesh_.up) return;
  state_ = State::acquired;
  out.emplace_back(mesh_.grant());
}

void Multiphase::send(MasterId to, MultiphaseKind kind, std::uint64_t round,
                      LockActions& out) const {
  const bool asks = kind == MultiphaseKind::my_lock;
  auto message = mesh_.message(kind, round, !asks);
  message.awaited = asks && mesh_.up.contains(to);
  out.push_back(Send{to, std::move(message)});
}

void Multiphase::append_bytes(std::string& out) const {
  mesh_.append_bytes(out);
  MachineBytes{out}.put(state_, round_, asking_, deferred_, granted_);
}

}  // namespace fixkeep::lock
