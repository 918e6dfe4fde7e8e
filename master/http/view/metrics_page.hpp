// GET /metrics of a master, in the text format of Prometheus.
//
// The master's thread copies its plain counters when the page is asked for (metrics_facts); the
// second thread makes the text of them and of the view's totals.
//
// Thread rule: metrics_facts() the master's thread, metrics_page() any. Errors: the view's.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "common/engine/engine.hpp"
#include "common/net/link/hub.hpp"
#include "common/sync/rw_spin_lock.hpp"
#include "master/core/master_core.hpp"
#include "master/http/view/directory_view.hpp"

namespace fixkeep::master {

struct EngineFacts {
  bool ready = false;
  engine::EngineStatistics statistics;
};

struct MetricsFacts {
  MasterCounters counters;
  std::size_t waiting = 0;
  std::size_t quarantined = 0;  // workers that are left out now
  bool joined = false;
  lock::LockStatistics locks;
  net::LinkCounters links;
  std::size_t http_connections = 0;
  std::optional<std::chrono::sys_seconds> http_certificate_expires_at;
  std::uint64_t view_put_off = 0;
  std::optional<EngineFacts> engine;  // none with a lock of the mesh
};

[[nodiscard]] sync::LockResult<std::string> metrics_page(const MetricsFacts& facts,
                                                         const DirectoryView& view);

}  // namespace fixkeep::master
