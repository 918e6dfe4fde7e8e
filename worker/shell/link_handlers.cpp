#include "worker/shell/link_handlers.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include "common/net/steady_clock.hpp"
#include "common/wire/counter_bounds.hpp"

namespace fixkeep::worker {

net::LinkHandlers link_handlers(LinkSink sink) {
  net::LinkHandlers handlers;
  handlers.on_up = [sink](const net::Peer& peer) {
    sink.troubles.up(peer, net::steady_now());
    ++sink.masters_up;
    sink.post(MasterConnected{net::master_of(peer)}, node::came_up(peer));
  };
  handlers.on_message = [sink](const net::Peer& peer, wire::Message&& message) {
    const auto bounds = wire::counter_bounds(std::chrono::system_clock::now());
    if (!wire::counters_within(message, bounds.ordered)) {
      return sink.close(peer, Errc::implausible_counter);
    }
    if (const auto* call = std::get_if<wire::OperatorCall>(&message)) {
      return sink.called(peer, *call);
    }
    sink.orders.asked(net::master_of(peer), message);
    sink.post(MasterSaid{.master = net::master_of(peer), .message = std::move(message)}, {});
  };
  handlers.on_down = [sink](const net::Peer& peer, boost::system::error_code why) {
    sink.troubles.down(peer, why, net::steady_now());
    --sink.masters_up;
    sink.orders.gone(net::master_of(peer));
    sink.post(MasterDisconnected{net::master_of(peer)}, node::went_down(peer));
  };
  handlers.on_refused = [sink](const net::LinkFailure& failure) {
    sink.troubles.refused(failure, net::steady_now());
  };
  handlers.on_unreachable = [sink](const net::LinkFailure& failure) {
    sink.troubles.unreachable(failure, net::steady_now());
  };
  return handlers;
}

}  // namespace fixkeep::worker
