#include "lock/core/mesh/quorum.hpp"

#include <iterator>

namespace fixkeep::lock {

std::set<MasterId> grid_quorum(const std::set<MasterId>& all, MasterId self) {
  std::size_t width = 1;
  while (width * width < all.size()) ++width;
  const auto own = static_cast<std::size_t>(std::distance(all.begin(), all.find(self)));
  std::set<MasterId> quorum;
  std::size_t place = 0;
  for (const auto master : all) {
    if (place / width == own / width || place % width == own % width) quorum.insert(master);
    ++place;
  }
  return quorum;
}

}  // namespace fixkeep::lock
