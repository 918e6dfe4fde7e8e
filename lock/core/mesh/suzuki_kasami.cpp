#include "lock/core/mesh/suzuki_kasami.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::lock {

void SuzukiKasami::step(const LockEvent& event, TimePoint, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, out); }, event);
  proceed(out);
}

std::optional<LockMessage> SuzukiKasami::hello() const {
  if (!electing_) return {};
  return message(SuzukiKasamiKind::elect, number_, epoch_);
}

std::string_view SuzukiKasami::state() const {
  switch (state_) {
    case State::idle: return owner_ ? "keeping" : "idle";
    case State::waiting: return "waiting";
    case State::asking: return electing_ ? "electing" : "asking";
    case State::acquired: return "acquired";
  }
  return "?";
}

std::string_view SuzukiKasami::kind_name(std::uint8_t kind) {
  switch (static_cast<SuzukiKasamiKind>(kind)) {
    case SuzukiKasamiKind::request: return "Request";
    case SuzukiKasamiKind::elect: return "Elect";
    case SuzukiKasamiKind::promise: return "Promise";
    case SuzukiKasamiKind::behind: return "Behind";
    case SuzukiKasamiKind::token: return "Token";
  }
  return "?";
}

// --- the caller

void SuzukiKasami::on(const Acquire&, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::idle, state());
  state_ = State::waiting;
  ask_if_joined(out);
}

// Our request and our ballot remain open. If a token comes for them, it is passed on.
void SuzukiKasami::on(const Abandon&, LockActions&) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  state_ = State::idle;
}

void SuzukiKasami::on(const Release& release, LockActions&) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  mesh_.learn(release.token, release.value);
  state_ = State::idle;
}

void SuzukiKasami::ask_if_joined(LockActions& out) {
  if (state_ != State::waiting || !mesh_.joined()) return;
  state_ = State::asking;
  if (owner_) {
    own(out);
    return;
  }
  if (open_) doubts_ = true;  // no token has come for our abandoned request
  if (!open_) ask(out);
}

void SuzukiKasami::ask(LockActions& out) {
  open_ = true;
  owes_ = false;
  ++number_;
  doubts_ = doubts_ || mesh_.split();  // the owner may have no link to us
  if (doubts_) return;                 // proceed() asks with a ballot
  for (const auto peer : mesh_.connected) {
    out.emplace_back(Send{peer, message(SuzukiKasamiKind::request, number_, {})});
  }
}

// Does what the event has made possible.
void SuzukiKasami::proceed(LockActions& out) {
  if (state_ == State::acquired) return;
  for (const auto& [peer, ballot] : std::exchange(deferred_, {})) answer(peer, ballot, out);
  if (owes_ && !owner_ && !open_ && mesh_.joined()) ask(out);
  if (open_ && doubts_ && !electing_) call_ballot(out);
  if (electing_ && all_promised()) make_token(out);
  if (owner_ && state_ != State::acquired) pass_on(out);
}

// --- the mesh

void SuzukiKasami::on(const Receive& receive, LockActions& out) {
  const auto& [from, message] = receive;
  if (!mesh_.up.contains(from) || message.epoch > message.token) return;
  if (message.token.counter > largest_counter) return;
  mesh_.learn(message.token, message.value);
  switch (static_cast<SuzukiKasamiKind>(message.kind)) {
    case SuzukiKasamiKind::request:
      asked(from, message.round);
      owes_ = owes_ || doubts_;
      return;
    case SuzukiKasamiKind::elect:
      asked(from, message.round);
      elected(from, message.epoch, out);
      return;
    case SuzukiKasamiKind::promise: promised(from, message); return;
    case SuzukiKasamiKind::behind:
      if (!electing_ || message.epoch != epoch_) return;
      electing_ = false;
      doubts_ = true;  // calls a higher ballot
      return;
    case SuzukiKasamiKind::token: received(message, out); return;
  }
  // Ignores a message of an unknown kind: from another strategy or a later version.
}

void SuzukiKasami::on(const PeerUp& up, LockActions& out) {
  mesh_.on(up);
  if (mesh_.rules.token_ends) end_token();
  const auto& hello = up.hello;
  if (hello && hello->kind == static_cast<std::uint8_t>(SuzukiKasamiKind::elect) &&
      hello->epoch <= hello->token && hello->token.counter <= largest_counter) {
    asked(up.peer, hello->round);
    elected(up.peer, hello->epoch, out);
  }
  ask_if_joined(out);
}

void SuzukiKasami::on(const PeerDown& down, LockActions&) {
  mesh_.on(down);
  asks_.erase(down.peer);
  deferred_.erase(down.peer);
  promises_.erase(down.peer);
  std::erase_if(turns_, [&](const LockTurn& turn) { return turn.master == down.peer; });
  if (!owner_) doubts_ = true;
  if (passed_to_ == down.peer && mesh_.rules.lost_pass) owes_ = owes_ || !asks_.empty();
}

void SuzukiKasami::on(const JoinGraceLapsed& lapsed, LockActions& out) {
  mesh_.on(lapsed);
  ask_if_joined(out);
}

void SuzukiKasami::on(const MastersListed& listed, LockActions& out) {
  mesh_.on(listed);
  ask_if_joined(out);
}

// --- the token

void SuzukiKasami::asked(MasterId peer, std::uint64_t number) {
  asks_[peer] = number;
  if (owner_) note(peer, number);
}

// Adds the request to the end of the token's queue, unless the token already contains it.
void SuzukiKasami::note(MasterId peer, std::uint64_t number) {
  const auto known = std::find_if(turns_.begin(), turns_.end(),
                                  [&](const LockTurn& turn) { return turn.master == peer; });
  if (known == turns_.end()) {
    turns_.push_back({peer, number, true});
  } else if (known->number < number) {
    known->number = number;
    if (!std::exchange(known->waits, true)) std::rotate(known, known + 1, turns_.end());
  }
}

void SuzukiKasami::received(const LockMessage& token, LockActions& out) {
  if (owner_ || (mesh_.rules.promise_kept && token.epoch < epoch_)) return;
  if (!open_) {
    doubts_ = owes_ = true;  // the token ends here: other masters may wait for it
    return;
  }
  epoch_ = std::max(epoch_, token.epoch);
  turns_ = token.turns;
  own(out);
}

// Begins to own a token. REQUIRES: turns_ and epoch_ are those of the token.
void SuzukiKasami::own(LockActions& out) {
  owner_ = true;
  open_ = owes_ = false;
  trust();
  std::erase_if(turns_, [&](const LockTurn& turn) { return turn.master == mesh_.self; });
  turns_.push_back({mesh_.self, number_, false});
  for (const auto& [peer, number] : asks_) note(peer, number);
  if (state_ != State::asking) return;
  state_ = State::acquired;
  out.emplace_back(mesh_.grant());
}

// Passes the token to the first master that waits. Skips a request that has not arrived here,
// because it may be from the peer's earlier run.
void SuzukiKasami::pass_on(LockActions& out) {
  const auto next = std::find_if(turns_.begin(), turns_.end(), [&](const LockTurn& turn) {
    const auto ask = asks_.find(turn.master);
    return turn.waits && ask != asks_.end() && ask->second == turn.number;
  });
  if (next == turns_.end()) return;
  next->waits = false;
  auto passed = message(SuzukiKasamiKind::token, next->number, epoch_);
  passed_to_ = next->master;
  passed.turns = std::exchange(turns_, {});
  owner_ = false;
  out.emplace_back(Send{*passed_to_, std::move(passed)});
}

// Begins our doubt, and ends our token if we have it. The masters that waited for the token now
// wait for the ballot that we call.
void SuzukiKasami::end_token() {
  doubts_ = true;
  if (!std::exchange(owner_, false)) return;
  owes_ = owes_ || std::any_of(turns_.begin(), turns_.end(),
                               [](const LockTurn& turn) { return turn.waits; });
  turns_.clear();
}

// --- the ballot

void SuzukiKasami::call_ballot(LockActions& out) {
  const auto ballot = token_after(std::max(mesh_.highest, epoch_), mesh_.self);
  if (ballot <= epoch_) return;  // the largest counter was reached
  epoch_ = mesh_.highest = ballot;
  electing_ = true;
  passed_to_.reset();
  promises_.clear();
  turns_.clear();
  for (const auto peer : mesh_.connected) {
    out.emplace_back(Send{peer, message(SuzukiKasamiKind::elect, number_, epoch_)});
  }
}

void SuzukiKasami::elected(MasterId peer, FencingToken ballot, LockActions& out) {
  if (state_ == State::acquired && ballot > epoch_ && mesh_.rules.deferral) {
    deferred_[peer] = ballot;
  } else {
    answer(peer, ballot, out);
  }
}

void SuzukiKasami::answer(MasterId peer, FencingToken ballot, LockActions& out) {
  if (ballot <= epoch_) {
    out.emplace_back(Send{peer, message(SuzukiKasamiKind::behind, 0, ballot)});
    return;
  }
  epoch_ = ballot;
  owner_ = false;
  turns_.clear();
  trust();
  auto promise = message(SuzukiKasamiKind::promise, 0, ballot);
  promise.turns = {{mesh_.self, number_, open_}};
  out.emplace_back(Send{peer, std::move(promise)});
}

// A promise also says whether its sender waits, because the requests that we know may be older. The
// sender relies on us even if our ballot is over: we may have won the ballot before the sender was
// up.
void SuzukiKasami::promised(MasterId peer, const LockMessage& promise) {
  const auto turn = promise.turns.empty() ? LockTurn{} : promise.turns.front();
  if (turn.waits) asked(peer, turn.number);
  if (!electing_ || (promise.epoch != epoch_ && mesh_.rules.rounds)) {
    owes_ = owes_ || (turn.waits && !owner_);
    return;
  }
  if (promises_.insert(peer).second) turns_.push_back({peer, turn.number, turn.waits});
}

bool SuzukiKasami::all_promised() const {
  return promises_ == mesh_.connected || !mesh_.rules.all_answers;
}

// The last holder may have died, or may be on the other side of a broken link, and its orders are
// unknown. Possibly only this master knows this, so the new token makes the next holder fence.
void SuzukiKasami::make_token(LockActions& out) {
  if (mesh_.rules.new_token_fence) {
    mesh_.highest = token_after(mesh_.highest, mesh_.self);
    mesh_.value.stamp = mesh_.highest;  // newer than every value that another master may know
    mesh_.value.uncertain = true;
  }
  own(out);
}

// Ends our doubt: there is a token, or a master that makes a token.
void SuzukiKasami::trust() {
  electing_ = doubts_ = false;
  promises_.clear();
  passed_to_.reset();
}

LockMessage SuzukiKasami::message(SuzukiKasamiKind kind, std::uint64_t round,
                                  FencingToken epoch) const {
  const bool with_value = kind == SuzukiKasamiKind::promise || kind == SuzukiKasamiKind::token;
  auto made = mesh_.message(kind, round, with_value);
  made.epoch = epoch;
  return made;
}

}  // namespace fixkeep::lock
