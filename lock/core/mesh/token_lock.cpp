#include "lock/core/mesh/token_lock.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "lock/core/mesh/naimi_trehel.hpp"
#include "lock/core/mesh/raymond.hpp"
#include "lock/core/mesh/suzuki_kasami.hpp"

namespace fixkeep::lock {

LockMessage TokenState::message(TokenKind kind, std::uint64_t round, FencingToken ballot) const {
  const bool with_value = kind == TokenKind::promise || kind == TokenKind::token;
  auto made = mesh.message(kind, round, with_value);
  made.epoch = ballot;
  return made;
}

template <class Route>
void TokenLock<Route>::step(const LockEvent& event, TimePoint, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, out); }, event);
  proceed(out);
}

template <class Route>
std::optional<LockMessage> TokenLock<Route>::hello() const {
  if (!token_.electing) return {};
  return token_.message(TokenKind::elect, token_.number, token_.epoch);
}

template <class Route>
std::string_view TokenLock<Route>::state() const {
  switch (state_) {
    case State::idle: return token_.owner ? "keeping" : "idle";
    case State::waiting: return "waiting";
    case State::asking: return token_.electing ? "electing" : "asking";
    case State::acquired: return "acquired";
  }
  return "?";
}

template <class Route>
std::string_view TokenLock<Route>::kind_name(std::uint8_t kind) {
  switch (static_cast<TokenKind>(kind)) {
    case TokenKind::request: return "Request";
    case TokenKind::elect: return "Elect";
    case TokenKind::promise: return "Promise";
    case TokenKind::behind: return "Behind";
    case TokenKind::token: return "Token";
  }
  return "?";
}

// --- the caller

template <class Route>
void TokenLock<Route>::on(const Acquire&, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::idle, state());
  state_ = State::waiting;
  ask_if_joined(out);
}

// Our request and our ballot go on: the token that comes is passed on.
template <class Route>
void TokenLock<Route>::on(const Abandon&, LockActions&) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  state_ = State::idle;
}

template <class Route>
void TokenLock<Route>::on(const Release& release, LockActions&) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  token_.fenced = token_.fenced || release.value.fence > token_.mesh.value.fence;
  token_.mesh.learn(release.token, release.value);
  state_ = State::idle;
}

template <class Route>
void TokenLock<Route>::ask_if_joined(LockActions& out) {
  if (state_ != State::waiting || !token_.mesh.joined()) return;
  state_ = State::asking;
  if (token_.owner && !(token_.fenced && token_.mesh.rules.token_ends)) {
    own(false, out);
    return;
  }
  if (token_.owner) {
    token_.owner = false;
    token_.doubts = token_.certain = true;
  }
  route_.want(token_);
  if (!token_.open) ask(out);
}

template <class Route>
void TokenLock<Route>::ask(LockActions& out) {
  token_.open = true;
  token_.owes = false;
  ++token_.number;
  token_.doubts = token_.doubts || token_.mesh.split();  // the owner may have no link to us
  if (token_.doubts) return;                             // proceed() asks with a ballot
  route_.ask(token_, out);
}

// Does what the event has made possible.
template <class Route>
void TokenLock<Route>::proceed(LockActions& out) {
  if (state_ == State::acquired) return;
  for (const auto& [peer, ballot] : std::exchange(deferred_, {})) answer(peer, ballot, out);
  ask_for_peers(out);
  if (token_.electing && all_promised()) make_token(out);
  if (!token_.owner || state_ == State::acquired || !route_.pass_on(token_, out)) return;
  token_.owner = false;
  ask_for_peers(out);
}

// Asks with a ballot, if a request needs one.
template <class Route>
void TokenLock<Route>::ask_for_peers(LockActions& out) {
  if (token_.owes && !token_.owner && !token_.open && token_.mesh.joined()) ask(out);
  if (token_.open && token_.doubts && !token_.electing) call_ballot(out);
}

// --- the mesh

template <class Route>
void TokenLock<Route>::on(const Receive& receive, LockActions& out) {
  const auto& [from, message] = receive;
  if (!token_.mesh.up.contains(from) || message.epoch > message.token) return;
  if (message.token.counter > largest_counter) return;
  token_.mesh.learn(message.token, message.value);
  switch (static_cast<TokenKind>(message.kind)) {
    case TokenKind::request: route_.requested(token_, from, message, out); return;
    case TokenKind::elect: elected(from, message, out); return;
    case TokenKind::promise: promised(from, message, out); return;
    case TokenKind::behind:
      if (token_.owner || message.epoch != token_.epoch) return;
      token_.electing = false;
      token_.doubts = true;  // if we wait, we call a higher ballot
      return;
    case TokenKind::token: received(message, out); return;
  }
  // Ignores a message of an unknown kind: from another strategy or a later version.
}

template <class Route>
void TokenLock<Route>::on(const PeerUp& up, LockActions& out) {
  token_.mesh.on(up);
  token_.certain = false;
  if (token_.mesh.rules.token_ends) {
    token_.doubts = true;
    route_.end(token_);  // whoever waited for our token waits for the ballot that we call
    token_.owner = false;
  }
  const auto& hello = up.hello;
  if (hello && hello->kind == static_cast<std::uint8_t>(TokenKind::elect) &&
      hello->epoch <= hello->token && hello->token.counter <= largest_counter) {
    elected(up.peer, *hello, out);
  }
  ask_if_joined(out);
}

template <class Route>
void TokenLock<Route>::on(const PeerDown& down, LockActions&) {
  token_.mesh.on(down);
  token_.certain = false;
  deferred_.erase(down.peer);
  promises_.erase(down.peer);
  if (!token_.owner) token_.doubts = true;
  route_.down(token_, down.peer);
}

template <class Route>
void TokenLock<Route>::on(const JoinGraceLapsed& lapsed, LockActions& out) {
  token_.mesh.on(lapsed);
  ask_if_joined(out);
}

template <class Route>
void TokenLock<Route>::on(const MastersListed& listed, LockActions& out) {
  token_.mesh.on(listed);
  if (!token_.owner) token_.doubts = true;
  ask_if_joined(out);
}

// --- the token

template <class Route>
void TokenLock<Route>::received(const LockMessage& token, LockActions& out) {
  if (token_.owner || (token_.mesh.rules.promise_kept && token.epoch < token_.epoch)) return;
  if (!token_.open || !route_.accepts(token_, token)) {
    token_.doubts = token_.owes = true;  // the token ends here: others may wait for it
    return;
  }
  token_.epoch = std::max(token_.epoch, token.epoch);
  own(false, out);
}

// Begins to own a token, or a `fresh` one. REQUIRES: the epoch is that of the token.
template <class Route>
void TokenLock<Route>::own(bool fresh, LockActions& out) {
  token_.owner = true;
  token_.open = token_.owes = token_.fenced = token_.certain = false;
  trust();
  route_.own(token_, fresh, out);
  if (state_ != State::asking || !route_.enters(token_)) return;
  state_ = State::acquired;
  out.emplace_back(token_.mesh.grant());
}

// --- the ballot

template <class Route>
void TokenLock<Route>::call_ballot(LockActions& out) {
  auto& mesh = token_.mesh;
  const auto ballot = token_after(std::max(mesh.highest, token_.epoch), mesh.self);
  if (ballot <= token_.epoch) return;  // counters do not go on after the largest
  route_.leave(token_);
  token_.epoch = mesh.highest = ballot;
  token_.electing = true;
  promises_.clear();
  for (const auto peer : mesh.connected) {
    out.emplace_back(Send{peer, token_.message(TokenKind::elect, token_.number, ballot)});
  }
}

template <class Route>
void TokenLock<Route>::elected(MasterId peer, const LockMessage& elect, LockActions& out) {
  route_.elected(token_, peer, elect);
  const bool later = state_ == State::acquired && elect.epoch > token_.epoch;
  if (later && token_.mesh.rules.deferral) {
    deferred_[peer] = elect.epoch;
  } else {
    answer(peer, elect.epoch, out);
  }
}

template <class Route>
void TokenLock<Route>::answer(MasterId peer, FencingToken ballot, LockActions& out) {
  if (ballot <= token_.epoch) {
    out.emplace_back(Send{peer, token_.message(TokenKind::behind, 0, ballot)});
    return;
  }
  route_.leave(token_);
  token_.epoch = ballot;
  token_.owner = token_.certain = false;
  trust();
  auto promise = token_.message(TokenKind::promise, 0, ballot);
  promise.turns = {{token_.mesh.self, token_.number, token_.open}};
  out.emplace_back(Send{peer, std::move(promise)});
  route_.follow(token_, peer, out);
}

// A promise also says whether its sender waits: the requests that we know may be older. The sender
// relies on us even if our ballot is over: we may have won it before the sender was up.
template <class Route>
void TokenLock<Route>::promised(MasterId peer, const LockMessage& promise, LockActions& out) {
  auto turn = promise.turns.empty() ? LockTurn{} : promise.turns.front();
  turn.master = peer;
  if (!token_.electing || (promise.epoch != token_.epoch && token_.mesh.rules.rounds)) {
    if (turn.waits) route_.relies(token_, turn, promise.epoch, out);
  } else if (promises_.insert(peer).second) {
    route_.promised(token_, turn);
  }
}

template <class Route>
bool TokenLock<Route>::all_promised() const {
  return promises_ == token_.mesh.connected || !token_.mesh.rules.all_answers;
}

// The last holder may have died, or is on the other side of a broken link, and nobody knows its
// orders. Only this master may know that: the token makes the next holder fence.
template <class Route>
void TokenLock<Route>::make_token(LockActions& out) {
  auto& mesh = token_.mesh;
  if (mesh.rules.new_token_fence && !token_.certain) {
    mesh.highest = token_after(mesh.highest, mesh.self);
    mesh.value.stamp = mesh.highest;  // newer than every value that another master may know
    mesh.value.uncertain = true;
  }
  own(true, out);
}

// There is a token, or a master that makes one.
template <class Route>
void TokenLock<Route>::trust() {
  token_.electing = token_.doubts = false;
  promises_.clear();
}

template class TokenLock<RequestToAll>;
template class TokenLock<PathReversal>;
template class TokenLock<StaticTree>;

}  // namespace fixkeep::lock
