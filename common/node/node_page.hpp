// GET /v1/node of a master and of a worker: its name and its configuration. `fixkeepctl doctor`
// compares nodes by them.
//
// The configuration is the one in effect without secrets (see `--print`). It omits the values of
// games' environments and the texts of their files.
//
// Thread rule: free functions. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/config/document.hpp"
#include "common/net/http/server.hpp"
#include "common/net/link/troubles.hpp"
#include "common/node/node_metrics.hpp"

namespace fixkeep::node {

struct MasterLink {
  std::string master;
  bool up = false;
  std::string trouble;  // why there is no link; empty: not known
};

struct NodeFacts {
  std::string node;
  std::string_view role;  // "master", "worker"
  std::string_view cluster;
  std::string configuration;        // an object of JSON
  std::string next_modes;           // an object of JSON; empty: no modes wait to take effect
  std::vector<MasterLink> masters;  // the others that it wants a link to
  std::vector<net::LinkTroubles::Refused> refused;
  net::LinkCounters links;
  std::vector<ListenerFacts> listeners;
};

[[nodiscard]] net::HttpAnswer node_page(const NodeFacts& facts);

// Operators may see this of it, as text.
[[nodiscard]] std::string without_what_games_keep(config::Json configuration);

}  // namespace fixkeep::node
