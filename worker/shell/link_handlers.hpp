// The handlers of a worker's links. They post events to the worker's core, and forward operators'
// calls to the shell.
//
// Thread rule: the thread that runs the io_context. Errors: a master that sends an impossible
// message loses its link.
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

// REQUIRES: all members outlive the links.
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
