#include "lock/core/mesh/suzuki_kasami.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::lock {

void RequestToAll::ask(const TokenState& token, LockActions& out) const {
  for (const auto peer : token.mesh.connected) {
    out.emplace_back(Send{peer, token.message(TokenKind::request, token.number, {})});
  }
}

void RequestToAll::requested(TokenState& token, MasterId peer, const LockMessage& request,
                             LockActions&) {
  asked(token, peer, request.round);
  token.owes = token.owes || token.doubts;
}

void RequestToAll::asked(const TokenState& token, MasterId peer, std::uint64_t number) {
  asks_[peer] = number;
  if (token.owner) note(peer, number);
}

// Adds the request to the end of the token's queue, unless the token knows it.
void RequestToAll::note(MasterId peer, std::uint64_t number) {
  const auto known = std::find_if(turns_.begin(), turns_.end(),
                                  [&](const LockTurn& turn) { return turn.master == peer; });
  if (known == turns_.end()) {
    turns_.push_back({peer, number, true});
  } else if (known->number < number) {
    known->number = number;
    if (!std::exchange(known->waits, true)) std::rotate(known, known + 1, turns_.end());
  }
}

// --- the token

bool RequestToAll::accepts(const TokenState&, const LockMessage& received) {
  turns_ = received.turns;
  return true;
}

// REQUIRES: turns_ are those of the token.
void RequestToAll::own(const TokenState& token, bool, LockActions&) {
  passed_to_.reset();
  const auto self = token.mesh.self;
  std::erase_if(turns_, [&](const LockTurn& turn) { return turn.master == self; });
  turns_.push_back({self, token.number, false});
  for (const auto& [peer, number] : asks_) note(peer, number);
}

// The token goes to the first that waits. A request that has not arrived here may be of the peer's
// earlier life.
bool RequestToAll::pass_on(const TokenState& token, LockActions& out) {
  const auto next = std::find_if(turns_.begin(), turns_.end(), [&](const LockTurn& turn) {
    const auto ask = asks_.find(turn.master);
    return turn.waits && ask != asks_.end() && ask->second == turn.number;
  });
  if (next == turns_.end()) return false;
  next->waits = false;
  auto passed = token.message(TokenKind::token, next->number, token.epoch);
  passed_to_ = next->master;
  passed.turns = std::exchange(turns_, {});
  out.emplace_back(Send{*passed_to_, std::move(passed)});
  return true;
}

void RequestToAll::end(TokenState& token) {
  if (!token.owner) return;
  token.owes = token.owes || std::any_of(turns_.begin(), turns_.end(),
                                         [](const LockTurn& turn) { return turn.waits; });
  turns_.clear();
}

void RequestToAll::down(TokenState& token, MasterId peer) {
  asks_.erase(peer);
  std::erase_if(turns_, [&](const LockTurn& turn) { return turn.master == peer; });
  if (passed_to_ == peer && token.mesh.rules.lost_pass) token.owes = token.owes || !asks_.empty();
}

// --- the ballot

// A candidate asks for itself.
void RequestToAll::elected(const TokenState& token, MasterId peer, const LockMessage& elect) {
  asked(token, peer, elect.round);
}

void RequestToAll::leave(TokenState&) {
  passed_to_.reset();
  turns_.clear();
}

void RequestToAll::promised(const TokenState& token, const LockTurn& turn) {
  if (turn.waits) asked(token, turn.master, turn.number);
  turns_.push_back(turn);
}

void RequestToAll::relies(TokenState& token, const LockTurn& turn, FencingToken, LockActions&) {
  asked(token, turn.master, turn.number);
  token.owes = token.owes || !token.owner;
}

}  // namespace fixkeep::lock
