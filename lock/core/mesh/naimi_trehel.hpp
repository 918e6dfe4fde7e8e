// The lock of Naimi and Trehel: a request follows a path to the last master that asked, and each
// master passes the token to the one that asked next.
//
// Source: M. Naimi, M. Trehel, A. Arnold, "A log(N) distributed mutual exclusion algorithm based on
// path reversal", 1996. `last_` points to the probable last master of the queue. A master sends its
// request there and becomes the root of the tree. A master that is no root forwards a request, and
// points at its sender from then on. A root keeps the request as `next_`: after its own hold it
// passes the token there. An owner enters again without a message.
//
// The published lock loses the token with its owner, and a request with any master of its path.
// Here a ballot makes both the token and the tree anew: token_lock.hpp has its rules, the fault
// model and invariants. The number of the ballot is the number of the tree. Rules of this lock:
//
//   a new tree          Whoever promises leaves its tree and points at the candidate. A promise
//                       whose sender waits is its request in the new tree.
//   own tree            Requests and tokens carry the number of their tree. A master accepts only a
//                       token of its own tree: a later incarnation has not promised it. A request
//                       of our tree counts even before the Hello of its master. Without: deadlock,
//                       3 masters, a crash, 25 steps.
//   reliance            A master that leaves a tree remembers the masters that relied on it
//                       (reliers.hpp): its `next_`, requests of an earlier tree, and promises to a
//                       ballot that it gave up. Without: deadlock, 3 masters, a broken link, 12
//                       steps. If a holder forgets only its `next_`: deadlock, 3 masters, a crash,
//                       18 steps.
//   lost pass           If a peer goes down to which we have sent the token or another's request
//                       since we last asked, we call a ballot. Without: deadlock, 3 masters, a
//                       crash, 22 steps.
//
// Fairness: the order in which requests reach roots. A ballot forgets this order.
// Cost: 0 messages if the token is here, n at most, and 1 + 1/2 + ... + 1/(n-1) on average if the
// masters ask at random (C. Lavault, "Analysis of an Efficient Distributed Algorithm for Mutual
// Exclusion", 1992). A ballot takes 2(n-1) messages: the first hold of a key, and after a hold with
// a fence or a change of the mesh. Delay: one message. There is no timer.
// Bounds: state O(masters); one step sends at most 3(n-1) messages.
// Thread rule: a value, one owner. Errors: none.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lock/core/mesh/reliers.hpp"
#include "lock/core/mesh/token_lock.hpp"

namespace fixkeep::lock {

class PathReversal {
 public:
  void want(TokenState& token) const { token.doubts = token.doubts || token.open; }
  void ask(TokenState& token, LockActions& out);
  void requested(TokenState& token, MasterId peer, const LockMessage& request, LockActions& out);

  // --- the token
  [[nodiscard]] bool accepts(const TokenState& token, const LockMessage& received) const;
  void own(const TokenState& token, bool fresh, LockActions& out);
  [[nodiscard]] bool enters(const TokenState&) const { return true; }
  bool pass_on(const TokenState& token, LockActions& out);
  void end(TokenState& token);
  void down(TokenState& token, MasterId peer);

  // --- the ballot
  void elected(const TokenState&, MasterId, const LockMessage&) {}
  void leave(TokenState& token);
  void follow(const TokenState& token, MasterId candidate, LockActions& out);
  void promised(const TokenState& token, const LockTurn& turn);
  void relies(TokenState& token, const LockTurn& turn, FencingToken tree, LockActions& out);

  friend bool operator==(const PathReversal&, const PathReversal&) = default;
  void append_bytes(std::string& out) const {
    MachineBytes{out}.put(last_, next_, sent_to_, waiters_, reliers_.trees());
  }

 private:
  [[nodiscard]] bool leads_on(const TokenState& token, FencingToken tree) const;
  void append(const TokenState& token, MasterId master, LockActions& out);

  std::optional<MasterId> last_;   // none: we are the root, or in no tree
  std::optional<MasterId> next_;   // the token goes there after our hold
  std::set<MasterId> sent_to_;     // peers on which the masters behind us depend
  std::vector<MasterId> waiters_;  // masters that wait for the token that our ballot makes
  Reliers reliers_;
};

using NaimiTrehel = TokenLock<PathReversal>;
static_assert(LockMachine<NaimiTrehel>);

}  // namespace fixkeep::lock
