// The quorums of a voting lock. A quorum is a set of masters; any two quorums have a common member.
//
// Source: Maekawa, "A sqrt(N) algorithm for mutual exclusion in decentralized systems" (1985). A
// grid replaces Maekawa's finite projective planes, which exist for few sizes only. tree_quorum.hpp
// has the quorums of `tree-quorum`.
// Thread rule: free functions without state. Errors: none.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/lock_strategies.hpp"
#include "lock/core/rules.hpp"

namespace fixkeep::lock {

// Returns the row and the column of `self` in a grid that is filled row by row. The grid's width is
// the square root of the number of masters, rounded up. The last row may be incomplete.
//
// Why two quorums have a common member: let their masters be at (r, c) and (r', c'). If r equals r'
// both quorums contain this row. Otherwise at most one of the two rows is the last row. Let r' be a
// complete row; if only r is complete, exchange the two masters. Then the place (r', c) exists. It
// is in the first master's column and in the second master's row. REQUIRES: `all` contains `self`.
[[nodiscard]] std::set<MasterId> grid_quorum(const std::set<MasterId>& all, MasterId self);

[[nodiscard]] constexpr std::size_t majority(std::size_t masters) {
  return masters / 2 + 1;
}

// A candidate's view of the masters.
struct Electorate {
  Quorum kind = Quorum::grid;
  std::set<MasterId> all;
  MasterId self;
  Rules rules;

  // Returns the masters in `connected` that a candidate has to ask in addition to `asked`.
  // REQUIRES: `asked` contains `self`.
  [[nodiscard]] std::vector<MasterId> still_to_ask(const std::set<MasterId>& asked,
                                                   const std::set<MasterId>& connected) const;
  // Returns true if the votes of `voted` are enough.
  [[nodiscard]] bool elected_by(const std::set<MasterId>& voted) const;
};

}  // namespace fixkeep::lock
