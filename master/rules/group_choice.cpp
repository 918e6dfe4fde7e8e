#include "master/rules/group_choice.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::master {

void GroupChoice::then(Duration age, GroupKey group) {
  const Duration before = later_.empty() ? Duration{0} : later_.back().age;
  FIXKEEP_ASSERT(age > before, group.text());
  later_.push_back({age, std::move(group)});
}

const GroupKey& GroupChoice::now(Duration age) const {
  const GroupKey* group = &first_;
  for (const Later& later : later_) {
    if (later.age > age) break;
    group = &later.group;
  }
  return *group;
}

std::optional<Duration> GroupChoice::next_change(Duration age) const {
  for (const Later& later : later_) {
    if (later.age > age) return later.age;
  }
  return std::nullopt;
}

std::size_t GroupChoice::longest_key() const {
  std::size_t longest = first_.text().size();
  for (const Later& later : later_) longest = std::max(longest, later.group.text().size());
  return longest;
}

}  // namespace fixkeep::master
