// The lock of Raymond: the masters are the nodes of a tree, and requests and the token move only
// along its edges.
//
// Source: K. Raymond, "A Tree-Based Algorithm for Distributed Mutual Exclusion", 1989. `holder_` is
// the neighbour in whose direction the token is. A master keeps a queue of the neighbours that
// asked it, and of itself. It has at most one request open, at `holder_`, whoever it is for. The
// token goes to the first in the queue. If others remain in the queue, a request for them follows
// the token. An owner enters again without a message. The masters fill a binary tree row by row, in
// ascending order.
//
// The published lock loses the token, and whole branches, with any master. Here a ballot makes both
// the token and the pointers anew: token_lock.hpp has its rules, the fault model and invariants.
// The number of the ballot is the number of the tree. Rules of this lock:
//
//   a new tree          Whoever promises leaves its tree and points toward the candidate. If its
//                       request is open, it asks again right after its promise. It calls no ballot,
//                       even in a split mesh: the candidate has a link to it. Without: deadlock, 2
//                       masters, 7 steps. The neighbours in its queue ask again themselves.
//   own tree            Requests and tokens carry the number of their tree. A master accepts only a
//                       token of its own tree: a later incarnation has not promised it.
//   later tree          A request of a tree that we have not promised yet counts after our promise.
//                       Without: deadlock, 3 masters, 15 steps. It also raises a doubt: if its tree
//                       is over already, its candidate never asks us. Without: deadlock, 3 masters,
//                       a broken link, 18 steps. An owner's token ends, but only after its hold. If
//                       the owner said Behind during its hold, two masters would outbid each other
//                       until its end.
//   reliance            See reliers.hpp. Without: deadlock, 3 masters, a broken link, 13 steps.
//   whole mesh          The tree has all masters of the list. If one is away, each request is a
//                       ballot (rule 6 of token_lock.hpp), and whoever promises points directly at
//                       the candidate. So requests go around a master that is away.
//
// There is no rule "lost pass" as in naimi_trehel.hpp: each master on the way of a request has a
// request of its own open, and calls a ballot if it loses a peer.
//
// Fairness: the queue of each master is first come, first served. A ballot forgets the order.
// Cost: 2D messages, D the distance to the token: 0 if it is here, at most 4 log2(n) in this tree.
// If all ask all the time, the token goes around the tree: 4(n-1)/n. A ballot takes 2(n-1)
// messages: the first hold of a key, and after a hold with a fence or a change of the mesh. Delay:
// D messages. There is no timer. Bounds: state O(masters); one step sends at most 3(n-1) messages.
// Thread rule: a value, one owner. Errors: none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lock/core/mesh/reliers.hpp"
#include "lock/core/mesh/token_lock.hpp"

namespace fixkeep::lock {

class StaticTree {
 public:
  void want(TokenState& token);
  void ask(TokenState& token, LockActions& out) const;
  void requested(TokenState& token, MasterId peer, const LockMessage& request, LockActions& out);

  // --- the token
  [[nodiscard]] bool accepts(const TokenState& token, const LockMessage& received) const;
  void own(const TokenState& token, bool fresh, LockActions& out);
  [[nodiscard]] bool enters(const TokenState& token);
  bool pass_on(TokenState& token, LockActions& out);
  void end(TokenState& token);
  void down(TokenState& token, MasterId peer);

  // --- the ballot
  void elected(const TokenState&, MasterId, const LockMessage&) {}
  void leave(TokenState& token);
  void follow(TokenState& token, MasterId candidate, LockActions& out);
  void promised(const TokenState&, const LockTurn&) {}
  void relies(const TokenState&, const LockTurn&, FencingToken, LockActions&) {}  // it asks again

  friend bool operator==(const StaticTree&, const StaticTree&) = default;
  void append_bytes(std::string& out) const {
    MachineBytes{out}.put(holder_, queue_, early_, reliers_.trees());
  }

 private:
  [[nodiscard]] bool queued(MasterId master) const;
  void forget(MasterId peer);
  void send(const TokenState& token, TokenKind kind, LockActions& out) const;

  std::optional<MasterId> holder_;  // none: we have the token, or are in no tree
  std::vector<MasterId> queue_;     // neighbours that asked, and ourselves; the first is next
  std::map<MasterId, FencingToken> early_;  // requests of later trees, each with its tree
  Reliers reliers_;
};

using Raymond = TokenLock<StaticTree>;
static_assert(LockMachine<Raymond>);

// Returns the next master on the way from `self` to `target` in the tree of the masters in `all`.
// REQUIRES: both are in `all`, and differ.
[[nodiscard]] MasterId next_on_the_way(const std::set<MasterId>& all, MasterId self,
                                       MasterId target);

}  // namespace fixkeep::lock
