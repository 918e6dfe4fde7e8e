#include "lock/core/mesh/naimi_trehel.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::lock {

void PathReversal::ask(TokenState& token, LockActions& out) {
  const auto last = std::exchange(last_, {});
  if (!last || !token.mesh.connected.contains(*last)) {
    token.doubts = true;  // asks with a ballot
    return;
  }
  sent_to_.clear();  // while we wait, any death makes us call a ballot
  out.emplace_back(Send{*last, token.message(TokenKind::request, token.number, token.epoch)});
}

// A forwarded request names its master.
void PathReversal::requested(TokenState& token, MasterId peer, const LockMessage& request,
                             LockActions& out) {
  LockTurn turn{peer, request.round, true};
  if (!request.turns.empty()) turn.master = request.turns.front().master;
  if (!token.mesh.connected.contains(turn.master)) return;  // its ballot comes, if it lives
  if (request.epoch == token.epoch && token.electing) {
    promised(token, turn);
  } else if (leads_on(token, request.epoch)) {
    append(token, turn.master, out);
  } else {
    relies(token, turn, request.epoch, out);
  }
}

// A request of this tree reaches the owner from here.
bool PathReversal::leads_on(const TokenState& token, FencingToken tree) const {
  if (tree != token.epoch || token.doubts) return false;
  return last_ ? token.mesh.connected.contains(*last_) : token.owner || token.open;
}

// The master is the last in the queue from now on.
void PathReversal::append(const TokenState& token, MasterId master, LockActions& out) {
  const auto last = std::exchange(last_, master);
  if (!last) {
    next_ = master;
    return;
  }
  auto request = token.message(TokenKind::request, 0, token.epoch);
  request.turns = {{master, 0, true}};
  sent_to_.insert(*last);
  out.emplace_back(Send{*last, std::move(request)});
}

// --- the token

bool PathReversal::accepts(const TokenState& token, const LockMessage& received) const {
  return received.epoch == token.epoch || !token.mesh.rules.promise_kept;
}

void PathReversal::own(const TokenState& token, bool fresh, LockActions& out) {
  reliers_.own(token, fresh, out);
  for (const auto waiter : std::exchange(waiters_, {})) append(token, waiter, out);
}

bool PathReversal::pass_on(const TokenState& token, LockActions& out) {
  if (!next_) return false;
  sent_to_.insert(*next_);
  out.emplace_back(Send{*next_, token.message(TokenKind::token, 0, token.epoch)});
  next_.reset();
  return true;
}

// Our ballot goes on.
void PathReversal::end(TokenState& token) {
  if (!token.electing) leave(token);
}

// An owner leaves the tree too, if it has lost a part of the queue.
void PathReversal::down(TokenState& token, MasterId peer) {
  reliers_.erase(peer);
  std::erase(waiters_, peer);
  if (next_ == peer && last_ == peer) last_.reset();
  if (next_ == peer) next_.reset();
  if (sent_to_.erase(peer) == 0 || !token.mesh.rules.lost_pass) return;
  end(token);
  token.owner = false;
  token.doubts = token.owes = true;
}

// --- the ballot

void PathReversal::leave(TokenState& token) {
  for (const auto waiter : std::exchange(waiters_, {})) reliers_.remember(waiter, token.epoch);
  if (const auto next = std::exchange(next_, {})) reliers_.remember(*next, token.epoch);
  token.owes = token.owes || !reliers_.empty();
  last_.reset();
  sent_to_.clear();
}

void PathReversal::follow(const TokenState& token, MasterId candidate, LockActions&) {
  if (!token.open) last_ = candidate;
}

void PathReversal::promised(const TokenState&, const LockTurn& turn) {
  const bool known = std::find(waiters_.begin(), waiters_.end(), turn.master) != waiters_.end();
  if (turn.waits && !known) waiters_.push_back(turn.master);
}

void PathReversal::relies(TokenState& token, const LockTurn& turn, FencingToken tree,
                          LockActions& out) {
  reliers_.add(token, turn.master, tree, out);
}

}  // namespace fixkeep::lock
