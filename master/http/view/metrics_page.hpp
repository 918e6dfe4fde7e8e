// GET /metrics of a master, in the text format of Prometheus.
//
// The master's thread copies its plain counters when the page is requested (metrics_facts). The
// second thread makes the text from these counters and the view's totals. A table in
// docs/metrics.md explains the metrics.
//
// Thread rule: the facts are copied on the master's thread. metrics_page() is for any thread.
// Errors: those of the view.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/duration_histogram.hpp"
#include "common/net/link/hub.hpp"
#include "common/net/otlp/exporter.hpp"
#include "common/net/webhook/webhook.hpp"
#include "common/node/node_metrics.hpp"
#include "common/sync/rw_spin_lock.hpp"
#include "lock/engines/engine.hpp"
#include "master/core/directory/duplicate_watch.hpp"
#include "master/core/master_core.hpp"
#include "master/http/statistics.hpp"
#include "master/http/view/directory_view.hpp"

namespace fixkeep::master {

struct EngineFacts {
  bool ready = false;
  engine::EngineStatistics statistics;
};

struct MetricsFacts {
  MasterCounters counters;
  MatchStatistics matches{{}};
  std::optional<Duration> oldest_waits;  // null: no request waits
  DuplicateWatch::Counts duplicates;
  std::size_t quarantined = 0;  // workers in quarantine now
  bool joined = false;
  std::size_t masters_up = 0;  // other masters with a link
  lock::LockStatistics locks;
  std::optional<EngineFacts> engine;  // null: the lock is in the masters
  net::LinkCounters links;
  std::vector<node::ListenerFacts> listeners;
  std::uint64_t view_put_off = 0;
  net::OtlpCounters spans;
  net::WebhookCounters webhook;
  std::map<std::string_view, std::uint64_t> callers_refused;  // Identity::refused
};

[[nodiscard]] sync::LockResult<std::string> metrics_page(const MetricsFacts& facts,
                                                         const DirectoryView& view);

}  // namespace fixkeep::master
