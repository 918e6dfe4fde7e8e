// The masters that a voting lock asks: any two of these sets have a common member.
//
// Source: Maekawa, "A sqrt(N) algorithm for mutual exclusion in decentralized systems" (1985). A
// grid replaces the finite projective planes, which exist for few sizes only.
// Thread rule: free functions without state. Errors: none.
#pragma once

#include <cstddef>
#include <set>

#include "common/base/ids.hpp"

namespace fixkeep::lock {

// The row and the column of `self` in a grid that is filled row by row. It is as wide as the square
// root of the number of masters, rounded up. The last row may be incomplete.
//
// Any two sets meet: let the masters be at (r, c) and (r', c'). In the same row they share the row.
// Otherwise at most one of the two rows is the last. Say that row r' is complete, or else r by the
// same argument. Then the place (r', c) exists. It is in the column of one and the row of the
// other. REQUIRES: `all` contains `self`.
[[nodiscard]] std::set<MasterId> grid_quorum(const std::set<MasterId>& all, MasterId self);

[[nodiscard]] constexpr std::size_t majority(std::size_t masters) {
  return masters / 2 + 1;
}

}  // namespace fixkeep::lock
