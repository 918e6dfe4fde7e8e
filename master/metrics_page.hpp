// GET /metrics of a master, in the text format of Prometheus.
//
// Thread rule: the master's thread; the page is made of plain counters when it is asked for.
#pragma once

#include <string>

#include "common/net/link.hpp"
#include "master/core/master_core.hpp"

namespace fixkeep::master {

[[nodiscard]] std::string metrics_page(const MasterCore& core, const net::LinkCounters& links,
                                       std::size_t http_connections);

}  // namespace fixkeep::master
