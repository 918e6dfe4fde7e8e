// The handlers convert the events on a master's links into events for the core.
//
// The handlers bound a worker's counters before the core reads them, because a worker may lie. A
// master with impossible counters loses its link (wire/counter_bounds.hpp). If a worker answers an
// operator, the handlers pass the answer to WorkerCalls. They report the state of links to
// LinkTroubles. Thread rule: the master's thread. Errors: none.
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

// Key: a master, as "m2". Value: its net::Peer::admits, received when the link came up.
using AdmitsByMaster = std::map<std::string, std::string>;

struct LinkSink {
  std::function<void(Event&&, std::optional<node::LinkChange>)> post;
  std::function<void()> batch_ended;  // call after all arrived messages are posted
  std::function<void(const net::Peer&, Errc)> close;
  WorkerCalls& calls;  // the references outlive the handlers
  net::LinkTroubles& troubles;
  AdmitsByMaster& admits;
};

// Returns the reason that both ends log for a closed link.
[[nodiscard]] Errc reason_of(const CloseWorkerLink& closed);

[[nodiscard]] net::LinkHandlers link_handlers(LinkSink sink);

}  // namespace fixkeep::master
