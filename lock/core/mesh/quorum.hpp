// The quorums of a voting lock. A quorum is a set of masters; any two quorums have a common member.
//
// Source: Maekawa, "A sqrt(N) algorithm for mutual exclusion in decentralized systems" (1985). A
// grid replaces Maekawa's finite projective planes, which exist for few sizes only.
// Thread rule: free functions without state. Errors: none.
#pragma once

#include <cstddef>
#include <set>

#include "common/base/ids.hpp"

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

}  // namespace fixkeep::lock
