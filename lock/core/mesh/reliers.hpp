// Reliers are the masters that rely on us for a token of a tree that we are not in: they asked us
// in an earlier tree, or promised a ballot that we gave up.
//
// We ask for the token of our tree, and then tell them with Behind that their tree is over. If they
// are in that tree still, they call a ballot. If we told them at once, they could outbid the new
// ballot for ever. Both locks whose requests follow the pointers of a tree use this class:
// naimi_trehel.hpp, raymond.hpp. Thread rule: a value, one owner. Bounds: O(masters). Errors: none.
#pragma once

#include <map>
#include <utility>

#include "lock/core/mesh/token_lock.hpp"

namespace fixkeep::lock {

class Reliers {
 public:
  // We leave `tree`, in which `master` waits for us.
  void remember(MasterId master, FencingToken tree) { trees_[master] = tree; }

  // `master` waits for us in `tree`, and we are in another one.
  void add(TokenState& token, MasterId master, FencingToken tree, LockActions& out) {
    if (token.owner) {
      tell(token, master, tree, out);
      return;
    }
    trees_[master] = tree;
    token.owes = true;
  }

  // We have the token. All connected peers have promised a fresh token: none is in an earlier tree.
  void own(const TokenState& token, bool fresh, LockActions& out) {
    for (const auto& [master, tree] : std::exchange(trees_, {})) {
      if (!fresh) tell(token, master, tree, out);
    }
  }

  void erase(MasterId master) { trees_.erase(master); }
  [[nodiscard]] bool empty() const { return trees_.empty(); }
  [[nodiscard]] const std::map<MasterId, FencingToken>& trees() const { return trees_; }

  friend bool operator==(const Reliers&, const Reliers&) = default;

 private:
  static void tell(const TokenState& token, MasterId master, FencingToken tree, LockActions& out) {
    out.emplace_back(Send{master, token.message(TokenKind::behind, 0, tree)});
  }

  std::map<MasterId, FencingToken> trees_;  // each relier with its tree
};

}  // namespace fixkeep::lock
