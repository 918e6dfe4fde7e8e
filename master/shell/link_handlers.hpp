// The handlers turn the happenings on a master's links into events for the core.
//
// A worker's counters are bounded before the core sees them: a worker may lie. A master with
// impossible counters loses its link (wire/counter_bounds.hpp). A worker causes a warning if its
// pause between dials exceeds this master's wait after a start.
// Thread rule: the master's thread. Errors: none.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/net/link/hub.hpp"
#include "common/net/link/troubles.hpp"
#include "common/node/event_queue.hpp"
#include "master/core/seam/events.hpp"
#include "master/http/operate/worker_calls.hpp"

namespace fixkeep::master {

// net::Peer::admits of each master ("m2") when its link comes up.
using AdmitsByMaster = std::map<std::string, std::string>;

struct LinkSink {
  std::function<void(Event&&, std::optional<node::LinkChange>)> post;
  std::function<void()> batch_ended;  // everything that had arrived was posted
  std::function<void(const net::Peer&, Errc)> close;
  WorkerCalls& calls;  // these outlive the handlers
  net::LinkTroubles& troubles;
  AdmitsByMaster& admits;
};

// Returns the reason that both ends give for a closed link.
[[nodiscard]] Errc reason_of(const CloseWorkerLink& closed);

[[nodiscard]] net::LinkHandlers link_handlers(LinkSink sink);

}  // namespace fixkeep::master
