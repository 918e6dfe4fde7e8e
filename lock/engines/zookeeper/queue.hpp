// Finds our place in a ZooKeeper queue from the names of a group's children.
// Thread rule: free functions without state. Errors: names in any other format are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::engine {

struct ZookeeperNames {
  std::string root;  // "/fixkeep"
  std::string cluster;
  std::string owner;  // "l-mMASTER-RUN-", the prefix of our entries' names

  ZookeeperNames(std::string_view cluster_name, MasterId self, std::uint64_t run);

  [[nodiscard]] std::string group(const GroupKey& group) const;
  [[nodiscard]] std::string entry(const GroupKey& group, std::uint64_t number) const;
};

// Returns the sequence number that the server has appended to a node's name.
[[nodiscard]] std::optional<std::uint64_t> sequence_of(std::string_view name);

struct ZookeeperPlace {
  bool present = false;
  std::string ahead;               // name directly before our entry; empty: our entry is the oldest
  std::vector<std::string> stale;  // names of our earlier entries
};
// `mine`: the name of our entry; may be empty.
[[nodiscard]] ZookeeperPlace find_place(const std::vector<std::string>& children,
                                        std::string_view owner, std::string_view mine);

}  // namespace fixkeep::engine
