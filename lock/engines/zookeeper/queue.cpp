#include "lock/engines/zookeeper/queue.hpp"

#include <charconv>

#include "lock/core/server/lock_record.hpp"

namespace fixkeep::engine {
namespace {

constexpr std::size_t sequence_digits = 10;

}  // namespace

ZookeeperNames::ZookeeperNames(std::string_view cluster_name, MasterId self, std::uint64_t run)
    : root("/fixkeep"),
      cluster(root + "/c-" + lock::path_component(cluster_name)),
      owner("l-" + to_string(self) + '-' + std::to_string(run) + '-') {}

std::string ZookeeperNames::group(const GroupKey& group) const {
  return cluster + "/g-" + lock::path_component(group.text());
}
std::string ZookeeperNames::entry(const GroupKey& group, std::uint64_t number) const {
  return this->group(group) + '/' + owner + std::to_string(number) + '-';
}

std::optional<std::uint64_t> sequence_of(std::string_view name) {
  if (!name.starts_with("l-") || name.size() <= sequence_digits) return {};
  const auto digits = name.substr(name.size() - sequence_digits);
  std::uint64_t sequence = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), sequence);
  if (error != std::errc{} || end != digits.data() + digits.size()) return {};
  return sequence;
}

ZookeeperPlace find_place(const std::vector<std::string>& children, std::string_view owner,
                          std::string_view mine) {
  ZookeeperPlace place;
  const auto own = sequence_of(mine);
  std::optional<std::uint64_t> nearest;
  for (const auto& name : children) {
    const auto sequence = sequence_of(name);
    if (!sequence) continue;
    if (name == mine) {
      place.present = true;
    } else if (name.starts_with(owner)) {
      place.stale.push_back(name);
    } else if (own && *sequence < *own && (!nearest || *sequence > *nearest)) {
      nearest = sequence;
      place.ahead = name;
    }
  }
  return place;
}

}  // namespace fixkeep::engine
