// The children of a group's node in ZooKeeper: anybody may make one there. One name a line; the
// first is that of our entry.
#include <string>
#include <vector>

#include "common/base/assert.hpp"
#include "lock/engines/zookeeper/queue.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {

void fuzz_zookeeper_names(std::string_view bytes) {
  std::vector<std::string> names;
  while (!bytes.empty()) {
    const auto line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    names.emplace_back(line);
  }
  if (names.empty()) return;
  const std::string mine = names.front();
  const engine::ZookeeperNames own{"c", MasterId{1}, 7};
  const auto place = engine::find_place(names, own.owner, mine);
  for (const auto& stale : place.stale) {
    FIXKEEP_ASSERT(stale != mine && stale.starts_with(own.owner), stale);
  }
  FIXKEEP_ASSERT(place.present == engine::sequence_of(mine).has_value(), mine);
  if (place.ahead.empty()) return;
  // Whom we wait for is there, is not us, and came before us: otherwise we would wait for ever.
  FIXKEEP_ASSERT(engine::sequence_of(place.ahead) < engine::sequence_of(mine), place.ahead);
  FIXKEEP_ASSERT(!place.ahead.starts_with(own.owner), place.ahead);
}

}  // namespace fixkeep::fuzz
