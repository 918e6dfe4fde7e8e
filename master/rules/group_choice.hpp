// Which group a claim joins, by how long it has waited.
//
// A claim waits in one group at a time, since a group has one queue and one lock. The rules of a
// mode name the groups in the order in which the claim may join them, and from which age on; a
// later one takes the place of the one before. Today every mode names one group, from the start.
//
// Invariant: the ages ascend.
// Thread rule: a value. Bounds: what the rules name. Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master {

class GroupChoice {
 public:
  GroupChoice() = default;  // a group without a name
  explicit GroupChoice(GroupKey first) : first_(std::move(first)) {}

  // The claim joins this group when it has reached the age. REQUIRES: an age above zero and above
  // that of any group before.
  void then(Duration age, GroupKey group);

  [[nodiscard]] const GroupKey& now(Duration age) const;
  // The age at which another group follows; nothing if the claim stays where it is.
  [[nodiscard]] std::optional<Duration> next_change(Duration age) const;
  [[nodiscard]] std::size_t longest_key() const;  // in bytes

 private:
  struct Later {
    Duration age{};
    GroupKey group;
  };
  GroupKey first_;
  std::vector<Later> later_;
};

}  // namespace fixkeep::master
