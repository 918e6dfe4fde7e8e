#include "lock/core/mesh/quorum.hpp"

#include <algorithm>
#include <iterator>

#include "lock/core/mesh/tree_quorum.hpp"

namespace fixkeep::lock {
namespace {

// The next masters in the ring, until a majority has been asked.
std::vector<MasterId> rest_of_majority(const Electorate& among, const std::set<MasterId>& asked,
                                       const std::set<MasterId>& connected) {
  std::vector<MasterId> rest;
  auto next = connected.upper_bound(among.self);
  for (std::size_t seen = 0;
       seen < connected.size() && asked.size() + rest.size() < majority(among.all.size()); ++seen) {
    if (next == connected.end()) next = connected.begin();
    if (!asked.contains(*next)) rest.push_back(*next);
    ++next;
  }
  return rest;
}

}  // namespace

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

std::vector<MasterId> Electorate::still_to_ask(const std::set<MasterId>& asked,
                                               const std::set<MasterId>& connected) const {
  std::set<MasterId> wanted;
  switch (kind) {
    case Quorum::majority: return rest_of_majority(*this, asked, connected);
    case Quorum::grid: wanted = grid_quorum(all, self); break;
    case Quorum::tree: {
      auto usable = connected;
      usable.insert(self);
      wanted = tree_quorum(all, usable, asked, rules.both_paths).value_or(wanted);
    }
  }
  std::vector<MasterId> rest;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(rest), [&](MasterId master) {
    return !asked.contains(master) && connected.contains(master);
  });
  return rest;
}

bool Electorate::elected_by(const std::set<MasterId>& voted) const {
  switch (kind) {
    case Quorum::majority: return voted.size() >= majority(all.size());
    case Quorum::tree: return tree_quorum(all, voted, voted, rules.both_paths).has_value();
    case Quorum::grid: break;
  }
  const auto quorum = grid_quorum(all, self);
  return std::includes(voted.begin(), voted.end(), quorum.begin(), quorum.end());
}

}  // namespace fixkeep::lock
