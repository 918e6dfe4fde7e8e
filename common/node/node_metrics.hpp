// The metrics that masters and workers share: links and HTTP listeners.
//
// Each of these metrics has one meaning at all nodes. A metric that only masters or only workers
// have is called fixkeep_master_… or fixkeep_worker_….
// Thread rule: free functions; the values are copied on the node's thread. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/net/http/operators.hpp"
#include "common/net/http/server.hpp"
#include "common/net/link/hub.hpp"
#include "common/obs/metrics.hpp"

namespace fixkeep::node {

struct ListenerFacts {
  std::string_view listener;  // "players", "operators"; a literal
  std::size_t connections = 0;
  std::uint64_t displaced = 0;  // closed to make room for others
  net::HttpServer::Responses responses;
  std::optional<std::chrono::sys_seconds> certificate_expires_at;
  std::optional<std::uint64_t> wrong_tokens;  // wrong tokens of operators
};

[[nodiscard]] ListenerFacts listener_facts(std::string_view listener,
                                           const net::HttpServer& server);
[[nodiscard]] ListenerFacts listener_facts(const net::OperatorsListener& operators);

void add_listeners(const std::vector<ListenerFacts>& listeners, obs::MetricsPage& page);
void add_links(const net::LinkCounters& links, obs::MetricsPage& page);

}  // namespace fixkeep::node
