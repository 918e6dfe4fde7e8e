// The command line of fixkeep-lock-node.
//
// Thread rule: free functions without state. Errors: help and mistakes are written to the given
// streams. An exit code is returned.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/lock_strategies.hpp"
#include "common/base/time.hpp"
#include "common/config/address.hpp"

namespace fixkeep::lock_node {

inline constexpr int exit_usage = 2;
inline constexpr int exit_cannot_start = 3;

struct NodeOptions {
  std::string strategy = "multiphase";
  MasterId self;
  std::map<MasterId, config::Address> peers;  // all but self
  config::Address listen;
  std::vector<config::Address> servers;  // lock servers if the strategy uses them
  std::string cluster = "lock-node";     // name of the cluster; clusters that share servers need
                                         // different names
  std::string certificates;              // a folder made by fixkeepctl; empty: links are plain
  Duration lease{std::chrono::seconds{5}};
  Duration wait{std::chrono::seconds{10}};
  Duration join_grace{std::chrono::seconds{5}};
  lock::Quorum quorum = lock::Quorum::grid;
};

struct ExitCode {
  int code = 0;
};

[[nodiscard]] std::variant<NodeOptions, ExitCode> parse_options(int argc, const char* const* argv,
                                                                std::ostream& out,
                                                                std::ostream& err);

}  // namespace fixkeep::lock_node
