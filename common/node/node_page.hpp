// Answers GET /v1/node at a master or worker: its name and configuration. `fixkeepctl doctor`
// compares the nodes' answers.
//
// The page shows the configuration in effect like `--print`, without secrets. The page omits the
// values in games' environments and the contents of games' files.
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
  std::string trouble;  // why there is no link; empty: unknown
};

struct NodeFacts {
  std::string node;
  std::string_view role;  // "master", "worker"
  std::string_view cluster;
  std::string configuration;        // a JSON object
  std::string next_modes;           // a JSON object; empty: no modes wait to take effect
  std::vector<MasterLink> masters;  // the masters that this node dials or expects
  std::vector<net::LinkTroubles::Refused> refused;
  net::LinkCounters links;
  std::vector<ListenerFacts> listeners;
  bool journal_is_whole = true;  // false: a worker cannot write its journal
};

[[nodiscard]] net::HttpAnswer node_page(const NodeFacts& facts);

// Returns the part of a configuration that operators may see, as text.
[[nodiscard]] std::string without_what_games_keep(config::Json configuration);

}  // namespace fixkeep::node
