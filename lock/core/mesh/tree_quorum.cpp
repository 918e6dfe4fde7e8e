#include "lock/core/mesh/tree_quorum.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fixkeep::lock {
namespace {

using Found = std::optional<std::set<MasterId>>;

struct Tree {
  std::vector<MasterId> nodes;  // the children of node i are 2i + 1 and 2i + 2
  const std::set<MasterId>& usable;
  const std::set<MasterId>& asked;
  bool both_paths;

  [[nodiscard]] std::ptrdiff_t price(const std::set<MasterId>& quorum) const {
    return std::count_if(quorum.begin(), quorum.end(),
                         [&](MasterId master) { return !asked.contains(master); });
  }
  [[nodiscard]] const Found& better(const Found& one, const Found& other) const {
    if (!one || !other) return one ? one : other;
    return price(*other) < price(*one) ? other : one;
  }

  // Returns the cheapest quorum of the subtree below `node`.
  [[nodiscard]] Found below(std::size_t node) const {
    const bool here = usable.contains(nodes[node]);
    const std::size_t right = 2 * node + 2;
    if (right >= nodes.size()) return here ? Found{{nodes[node]}} : Found{};
    const Found one = below(right - 1);
    const Found other = below(right);
    Found path = better(one, other);
    if (!here && !both_paths) return path;
    if (here && path) path->insert(nodes[node]);
    if (!here) path.reset();
    if (!one || !other) return path;
    Found both = one;
    both->insert(other->begin(), other->end());
    return better(path, both);
  }
};

}  // namespace

std::optional<std::set<MasterId>> tree_quorum(const std::set<MasterId>& all,
                                              const std::set<MasterId>& usable,
                                              const std::set<MasterId>& asked, bool both_paths) {
  return Tree{{all.begin(), all.end()}, usable, asked, both_paths}.below(0);
}

}  // namespace fixkeep::lock
