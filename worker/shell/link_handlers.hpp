// The links of a worker bring events for its core, and the calls of operators, which the core never
// hears of.
//
// Thread rule: the thread that runs the io_context. Errors: a master that says what cannot be true
// loses its link.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/net/link/hub.hpp"
#include "common/net/link/troubles.hpp"
#include "common/node/event_queue.hpp"
#include "worker/core/events.hpp"

namespace fixkeep::worker {

// All of it outlives the links.
struct LinkSink {
  std::function<void(Event&&, std::optional<node::LinkChange>)> post;
  std::function<void(const net::Peer&, Errc)> close;
  std::function<std::string(const ModeName&, const GroupKey&)> why_not_told;
  std::function<void(const net::Peer&, const wire::OperatorCall&)> called;
  net::LinkTroubles& troubles;
  std::size_t& masters_up;
};

[[nodiscard]] net::LinkHandlers link_handlers(LinkSink sink);

}  // namespace fixkeep::worker
