#include "lock/core/mesh/ricart_agrawala.hpp"

#include <algorithm>

#include "common/base/assert.hpp"
#include "lock/core/mesh/logical_time.hpp"

namespace fixkeep::lock {

void RicartAgrawala::step(const LockEvent& event, TimePoint, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, out); }, event);
}

std::optional<LockMessage> RicartAgrawala::hello() const {
  if (state_ != State::asking) return {};
  return mesh_.message(RicartAgrawalaKind::request, time_);
}

std::string_view RicartAgrawala::kind_name(std::uint8_t kind) {
  switch (static_cast<RicartAgrawalaKind>(kind)) {
    case RicartAgrawalaKind::request: return "Request";
    case RicartAgrawalaKind::reply: return "Reply";
  }
  return "?";
}

// --- the caller

void RicartAgrawala::on(const Acquire&, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::idle, state());
  state_ = State::waiting;
  ask_if_joined(out);
}

void RicartAgrawala::on(const Abandon&, LockActions& out) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  give_up(out);
}

void RicartAgrawala::on(const Release& release, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  if (release.value.fence > mesh_.value.fence) answered_.clear();  // all have to learn of our fence
  mesh_.learn(release.token, release.value);
  give_up(out);
}

// Ends our request or hold: the deferred peers get their answers.
void RicartAgrawala::give_up(LockActions& out) {
  state_ = State::idle;
  if (permissions_ == Permissions::of_one_hold) answered_.clear();
  for (const auto& [peer, time] : deferred_) reply(peer, time, out);
  deferred_.clear();
}

// --- the mesh

void RicartAgrawala::on(const Receive& receive, LockActions& out) {
  const auto time = receive.message.round;
  if (!mesh_.up.contains(receive.from) || time > largest_time) return;
  mesh_.learn(receive.message.token, receive.message.value);
  switch (static_cast<RicartAgrawalaKind>(receive.message.kind)) {
    case RicartAgrawalaKind::request: asked(receive.from, time, out); return;
    case RicartAgrawalaKind::reply:
      if (state_ != State::asking || (mesh_.rules.rounds && time != time_)) return;
      answered_.insert(receive.from);
      enter_if_all_answered(out);
      return;
  }
  // Ignores a message of an unknown kind: from another strategy or a later version.
}

void RicartAgrawala::asked(MasterId peer, std::uint64_t time, LockActions& out) {
  clock_ = std::max(clock_, time);
  if (mesh_.rules.deferral && defers(peer, time)) {
    deferred_[peer] = time;
  } else {
    const bool had_answer = answered_.contains(peer);
    reply(peer, time, out);
    if (had_answer && state_ == State::asking) ask(peer, out);
  }
}

bool RicartAgrawala::defers(MasterId peer, std::uint64_t time) const {
  switch (state_) {
    case State::idle:
    case State::waiting: return false;
    case State::asking:
      if (permissions_ == Permissions::of_one_hold && answered_.contains(peer)) return true;
      return std::pair{time_, mesh_.self} < std::pair{time, peer};
    case State::acquired: return true;
  }
  return true;
}

void RicartAgrawala::on(const PeerUp& up, LockActions& out) {
  mesh_.on(up);
  if (up.hello && up.hello->kind == static_cast<std::uint8_t>(RicartAgrawalaKind::request) &&
      up.hello->round <= largest_time) {
    asked(up.peer, up.hello->round, out);
  }
  ask_if_joined(out);
}

void RicartAgrawala::on(const PeerDown& down, LockActions& out) {
  mesh_.on(down);
  deferred_.erase(down.peer);
  answered_.erase(down.peer);
  enter_if_all_answered(out);
}

void RicartAgrawala::on(const JoinGraceLapsed& lapsed, LockActions& out) {
  mesh_.on(lapsed);
  ask_if_joined(out);
}

void RicartAgrawala::on(const MastersListed& listed, LockActions& out) {
  mesh_.on(listed);
  ask_if_joined(out);
}

// --- the rules

void RicartAgrawala::ask_if_joined(LockActions& out) {
  if (state_ != State::waiting || !mesh_.joined()) return;
  state_ = State::asking;
  time_ = ++clock_;
  for (const auto peer : mesh_.connected) {
    if (!answered_.contains(peer)) ask(peer, out);
  }
  enter_if_all_answered(out);
}

void RicartAgrawala::enter_if_all_answered(LockActions& out) {
  if (state_ != State::asking || answered_ != mesh_.up) return;
  state_ = State::acquired;
  out.emplace_back(mesh_.grant());
}

void RicartAgrawala::ask(MasterId peer, LockActions& out) const {
  out.emplace_back(Send{peer, mesh_.message(RicartAgrawalaKind::request, time_, false)});
}

void RicartAgrawala::reply(MasterId to, std::uint64_t time, LockActions& out) {
  if (mesh_.rules.given_back) answered_.erase(to);
  out.emplace_back(Send{to, mesh_.message(RicartAgrawalaKind::reply, time)});
}

}  // namespace fixkeep::lock
