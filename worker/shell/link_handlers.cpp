#include "worker/shell/link_handlers.hpp"

#include <chrono>
#include <utility>
#include <variant>

#include "common/net/steady_clock.hpp"
#include "common/wire/counter_bounds.hpp"

namespace fixkeep::worker {
namespace {

// Returns the group whose attributes the room's game would receive.
const GroupKey& told_group_of(const wire::SpawnRoom& spawn) {
  const bool is_match = !spawn.claims.empty() && spawn.claims.front().match;
  return is_match ? spawn.claims.front().match->told : spawn.group;
}

void hear(const LinkSink& sink, const net::Peer& master, wire::Order&& order) {
  const auto bounds = wire::counter_bounds(std::chrono::system_clock::now());
  if (!wire::counters_within(order, bounds.ordered)) {
    return sink.close(master, Errc::implausible_counter);
  }
  std::string why;
  if (const auto* spawn = std::get_if<wire::SpawnRoom>(&order)) {
    why = sink.why_not_told(spawn->mode, told_group_of(*spawn));
  }
  sink.post(MasterSaid{.master = net::master_of(master),
                       .message = std::move(order),
                       .why_not_told = std::move(why)},
            {});
}

void hear(const LinkSink& sink, const net::Peer& master, wire::OperatorCall&& call) {
  sink.called(master, call);
}

}  // namespace

net::LinkHandlers link_handlers(LinkSink sink) {
  net::LinkHandlers handlers;
  handlers.on_up = [sink](const net::Peer& peer) {
    sink.troubles.up(peer, net::steady_now());
    ++sink.masters_up;
    sink.post(MasterConnected{net::master_of(peer)}, node::came_up(peer));
  };
  handlers.on_master_said = [sink](const net::Peer& peer, wire::ToWorker&& message) {
    std::visit([&](auto& said) { hear(sink, peer, std::move(said)); }, message);
  };
  handlers.on_down = [sink](const net::Peer& peer, boost::system::error_code why) {
    sink.troubles.down(peer, why, net::steady_now());
    --sink.masters_up;
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
