#include "lock/core/mesh/lamport.hpp"

#include <algorithm>

#include "common/base/assert.hpp"
#include "lock/core/mesh/logical_time.hpp"

namespace fixkeep::lock {

void Lamport::step(const LockEvent& event, TimePoint, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, out); }, event);
}

std::optional<LockMessage> Lamport::hello() const {
  if (!asked_already()) return {};
  return mesh_.message(LamportKind::request, time_);
}

std::string_view Lamport::kind_name(std::uint8_t kind) {
  switch (static_cast<LamportKind>(kind)) {
    case LamportKind::request: return "Request";
    case LamportKind::reply: return "Reply";
    case LamportKind::reply_behind: return "ReplyBehind";
    case LamportKind::release: return "Release";
  }
  return "?";
}

// --- the caller

void Lamport::on(const Acquire&, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::idle, state());
  state_ = State::waiting;
  ask_if_joined(out);
}

void Lamport::on(const Abandon&, LockActions& out) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  give_up(out);
}

void Lamport::on(const Release& release, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  mesh_.learn(release.token, release.value);
  give_up(out);
}

// Ends our request or hold: our request leaves every queue.
void Lamport::give_up(LockActions& out) {
  const bool asked = asked_already();
  state_ = State::idle;
  answered_.clear();
  if (!asked) return;
  for (const auto peer : put_off_) send(peer, LamportKind::reply, clock_, out);
  put_off_.clear();
  for (const auto peer : mesh_.connected) send(peer, LamportKind::release, time_, out);
}

// --- the mesh

void Lamport::on(const Receive& receive, LockActions& out) {
  const auto from = receive.from;
  const auto time = receive.message.round;
  if (!mesh_.up.contains(from) || time > largest_time) return;
  mesh_.learn(receive.message.token, receive.message.value);
  clock_ = std::max(clock_, time);
  switch (static_cast<LamportKind>(receive.message.kind)) {
    case LamportKind::request: asked(from, time, out); return;
    case LamportKind::reply_behind:
      // The sender has a request before ours. We may have forgotten this request, because our table
      // was full.
      queue_.try_emplace(from, 0);
      [[fallthrough]];
    case LamportKind::reply:
      // Even an answer to our previous request is enough, if it is later than our present request:
      // the sender's earlier requests are in our queue, and its next requests will be later than
      // ours.
      if (state_ == State::asking && time >= time_) answered_.insert(from);
      enter_if_first(out);
      return;
    case LamportKind::release:
      if (const auto found = queue_.find(from); found != queue_.end() && found->second <= time) {
        queue_.erase(found);
      }
      enter_if_first(out);
      return;
  }
  // Ignores a message of an unknown kind: from another strategy or a later version.
}

void Lamport::asked(MasterId peer, std::uint64_t time, LockActions& out) {
  clock_ = std::max(clock_, time);
  queue_[peer] = time;
  const bool behind = asked_already() && !before_us(peer, time);
  if (mesh_.rules.late_answer && state_ == State::acquired && !behind) {
    put_off_.insert(peer);
    return;
  }
  // The clock need not advance here: our next request will be later than the clock, and so also
  // later than this answer.
  send(peer, behind ? LamportKind::reply_behind : LamportKind::reply, clock_, out);
}

void Lamport::on(const PeerUp& up, LockActions& out) {
  mesh_.on(up);
  if (up.hello && up.hello->kind == static_cast<std::uint8_t>(LamportKind::request) &&
      up.hello->round <= largest_time) {
    asked(up.peer, up.hello->round, out);
  }
  ask_if_joined(out);
}

void Lamport::on(const PeerDown& down, LockActions& out) {
  mesh_.on(down);
  queue_.erase(down.peer);
  answered_.erase(down.peer);
  put_off_.erase(down.peer);
  enter_if_first(out);
}

void Lamport::on(const JoinGraceLapsed& lapsed, LockActions& out) {
  mesh_.on(lapsed);
  ask_if_joined(out);
}

void Lamport::on(const MastersListed& listed, LockActions& out) {
  mesh_.on(listed);
  ask_if_joined(out);
}

// --- the rules

bool Lamport::before_us(MasterId peer, std::uint64_t time) const {
  return std::pair{time, peer} < std::pair{time_, mesh_.self};
}

void Lamport::ask_if_joined(LockActions& out) {
  if (state_ != State::waiting || !mesh_.joined()) return;
  state_ = State::asking;
  time_ = ++clock_;
  answered_.clear();
  for (const auto peer : mesh_.connected) send(peer, LamportKind::request, time_, out);
  enter_if_first(out);
}

void Lamport::enter_if_first(LockActions& out) {
  if (state_ != State::asking) return;
  if (mesh_.rules.all_answers && answered_ != mesh_.up) return;
  const auto earlier = [this](const auto& entry) { return before_us(entry.first, entry.second); };
  if (mesh_.rules.first && std::any_of(queue_.begin(), queue_.end(), earlier)) return;
  state_ = State::acquired;
  answered_.clear();
  out.emplace_back(mesh_.grant());
}

void Lamport::send(MasterId to, LamportKind kind, std::uint64_t time, LockActions& out) const {
  out.emplace_back(Send{to, mesh_.message(kind, time, kind != LamportKind::request)});
}

}  // namespace fixkeep::lock
