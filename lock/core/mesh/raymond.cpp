#include "lock/core/mesh/raymond.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fixkeep::lock {
namespace {

// The neighbour toward the candidate, or the candidate itself if the tree is not whole.
MasterId toward(const TokenState& token, MasterId candidate) {
  const auto& mesh = token.mesh;
  if (mesh.split() || !mesh.configured.contains(candidate)) return candidate;
  auto all = mesh.configured;
  all.insert(mesh.self);
  return next_on_the_way(all, mesh.self, candidate);
}

}  // namespace

// The parent of the node i is the node (i-1)/2.
MasterId next_on_the_way(const std::set<MasterId>& all, MasterId self, MasterId target) {
  const auto place = [&](MasterId master) { return std::distance(all.begin(), all.find(master)); };
  const auto here = place(self);
  auto node = place(target);
  while (node > here && (node - 1) / 2 != here) node = (node - 1) / 2;
  const bool below = node > here;
  return *std::next(all.begin(), below ? node : (here - 1) / 2);
}

bool StaticTree::queued(MasterId master) const {
  return std::find(queue_.begin(), queue_.end(), master) != queue_.end();
}

// If we are in the queue already, no token has come for our abandoned request.
void StaticTree::want(TokenState& token) {
  if (queued(token.mesh.self)) {
    token.doubts = true;
  } else {
    queue_.push_back(token.mesh.self);
  }
}

void StaticTree::ask(TokenState& token, LockActions& out) const {
  if (!holder_ || !token.mesh.connected.contains(*holder_)) {
    token.doubts = true;  // asks with a ballot
    return;
  }
  send(token, TokenKind::request, out);
}

// REQUIRES: holder_.
void StaticTree::send(const TokenState& token, TokenKind kind, LockActions& out) const {
  const auto round = kind == TokenKind::request ? token.number : 0;
  out.emplace_back(Send{*holder_, token.message(kind, round, token.epoch)});
}

void StaticTree::requested(TokenState& token, MasterId peer, const LockMessage& request,
                           LockActions& out) {
  forget(peer);
  if (request.epoch < token.epoch) {
    reliers_.add(token, peer, request.epoch, out);
    return;
  }
  if (request.epoch > token.epoch) {
    early_[peer] = request.epoch;
    token.doubts = !token.owner;  // an owner's token ends in pass_on()
  } else {
    queue_.push_back(peer);
  }
  token.owes = token.owes || (!token.owner && !token.open);
}

// --- the token

bool StaticTree::accepts(const TokenState& token, const LockMessage& received) const {
  return received.epoch == token.epoch || !token.mesh.rules.promise_kept;
}

void StaticTree::own(const TokenState& token, bool fresh, LockActions& out) {
  holder_.reset();
  std::erase_if(early_, [&](const auto& early) { return early.second < token.epoch; });
  reliers_.own(token, fresh, out);
}

// True if it is our turn. The token may also be here only on its way to a neighbour.
bool StaticTree::enters(const TokenState& token) {
  if (queue_.empty()) return true;
  if (queue_.front() != token.mesh.self) return false;
  queue_.erase(queue_.begin());
  return true;
}

bool StaticTree::pass_on(TokenState& token, LockActions& out) {
  const bool abandoned = !queue_.empty() && queue_.front() == token.mesh.self;
  if (abandoned) queue_.erase(queue_.begin());
  if (!early_.empty()) {
    end(token);
    token.doubts = true;
    return true;
  }
  if (queue_.empty()) return false;
  holder_ = queue_.front();
  queue_.erase(queue_.begin());
  send(token, TokenKind::token, out);
  token.owes = !queue_.empty();
  return true;
}

// Our ballot goes on.
void StaticTree::end(TokenState& token) {
  if (!token.electing) leave(token);
}

void StaticTree::down(TokenState&, MasterId peer) {
  forget(peer);
}

void StaticTree::forget(MasterId peer) {
  std::erase(queue_, peer);
  early_.erase(peer);
  reliers_.erase(peer);
}

// --- the ballot

void StaticTree::leave(TokenState& token) {
  holder_.reset();
  const bool ours = queued(token.mesh.self);
  for (const auto master : std::exchange(queue_, {})) {
    if (master != token.mesh.self) reliers_.remember(master, token.epoch);
  }
  if (ours) queue_.push_back(token.mesh.self);
  token.owes = token.owes || !reliers_.empty() || !early_.empty();
}

void StaticTree::follow(TokenState& token, MasterId candidate, LockActions& out) {
  holder_ = toward(token, candidate);
  for (const auto& [master, tree] : std::exchange(early_, {})) {
    if (tree == token.epoch) {
      queue_.push_back(master);
    } else if (tree > token.epoch) {
      early_[master] = tree;
    } else {
      reliers_.remember(master, tree);
    }
  }
  token.doubts = !early_.empty();
  if (token.open && !token.doubts) send(token, TokenKind::request, out);
}

}  // namespace fixkeep::lock
