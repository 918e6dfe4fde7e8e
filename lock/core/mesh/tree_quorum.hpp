// The quorums of Agrawal and El Abbadi: the masters are the nodes of a binary tree, and a quorum is
// a path from the root to a leaf.
//
// Source: D. Agrawal, A. El Abbadi, "An Efficient and Fault-Tolerant Solution for Distributed
// Mutual Exclusion", 1991. The strategy `tree-quorum` is maekawa's machine with these quorums. The
// masters fill the tree row by row, in ascending order: the lowest id is the root. With an even
// number of masters, the last one has no place: a parent of one child would gain nothing by it.
//
//   1. both paths   A path through a node that is away continues below both of its children. One
//                   of them is not enough. Without: 2 holders, 3 masters, 2 steps.
//   2. whole tree   A node that is away keeps its place. If each master made a tree of the masters
//                   that it reaches, each half of a split mesh would have its own quorums.
//   3. reachable    A candidate without a reachable quorum asks no other master: its votes would
//                   block others for nothing. It asks when a peer comes up.
//
// Why any two quorums share a node, by induction over the height. Two quorums of a tree that both
// contain the root share it. Otherwise one of them contains a quorum of each subtree. The other one
// contains a quorum of a subtree too, and these two share a node. The quorums are fixed, whichever
// nodes are away: a candidate that takes another path still shares a voter with every other one.
//
// Fault model, invariants, fairness: see maekawa.hpp.
// Cost: 3(K-1) messages without contention, K = log2(n+1) rounded down. The price is the root's
// load: it votes for all. Each node that is away can add a path: K is (n+1)/2 at most. In a full
// tree, dead masters stop the others only if they contain a quorum: K masters at least.
// Bounds: O(n log n) steps. Thread rule: free functions without state. Errors: none.
#pragma once

#include <optional>
#include <set>

#include "common/base/ids.hpp"

namespace fixkeep::lock {

// Returns the quorum of masters in `usable` with the fewest masters outside `asked`, or nothing if
// `usable` contains no quorum. `both_paths` is rule 1.
[[nodiscard]] std::optional<std::set<MasterId>> tree_quorum(const std::set<MasterId>& all,
                                                            const std::set<MasterId>& usable,
                                                            const std::set<MasterId>& asked,
                                                            bool both_paths = true);

}  // namespace fixkeep::lock
