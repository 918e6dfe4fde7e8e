#include "master/shell/link_handlers.hpp"

#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "common/net/steady_clock.hpp"
#include "common/node/node_shell.hpp"
#include "common/obs/log.hpp"
#include "common/wire/counter_bounds.hpp"

namespace fixkeep::master {
namespace {

void came_up(const LinkSink& sink, const net::Peer& peer) {
  sink.troubles.up(peer, net::steady_now());
  if (peer.role == net::Role::master) {
    sink.admits[peer.name] = peer.admits;
    sink.post(PeerConnected{net::master_of(peer)}, node::came_up(peer));
  } else {
    sink.post(WorkerConnected{WorkerId{peer.name}, peer.incarnation}, node::came_up(peer));
  }
}

void went_down(const LinkSink& sink, const net::Peer& peer, boost::system::error_code reason) {
  sink.troubles.down(peer, reason, net::steady_now());
  if (peer.role == net::Role::master) {
    sink.post(PeerDisconnected{net::master_of(peer)}, node::went_down(peer));
  } else {
    sink.calls.gone(WorkerId{peer.name});
    sink.post(WorkerDisconnected{WorkerId{peer.name}}, node::went_down(peer));
  }
}

void hear(const LinkSink& sink, const net::Peer& worker, wire::Report&& report) {
  const auto bounds = wire::counter_bounds(std::chrono::system_clock::now());
  wire::bound_counters(report, bounds.said_by_worker);
  sink.post(WorkerSaid{WorkerId{worker.name}, std::move(report)}, {});
}

void hear(const LinkSink& sink, const net::Peer& worker, wire::OperatorAnswer&& answer) {
  sink.calls.answered(WorkerId{worker.name}, std::move(answer));
}

void peer_said(const LinkSink& sink, const net::Peer& peer, wire::BetweenMasters&& message) {
  const auto bounds = wire::counter_bounds(std::chrono::system_clock::now());
  if (!wire::counters_within(message, bounds.said_by_master)) {
    return sink.close(peer, Errc::implausible_counter);
  }
  sink.post(PeerSaid{net::master_of(peer), std::move(message)}, {});
}

}  // namespace

Errc reason_of(const CloseWorkerLink& closed) {
  if (!closed.misdeed) return Errc::connect_anew;
  switch (*closed.misdeed) {
    case Misdeed::silent: return Errc::answer_missing;
    case Misdeed::refuses_promises: return Errc::promises_refused;
    case Misdeed::rooms_never_open: return Errc::rooms_never_open;
    case Misdeed::breaks_protocol:
    case Misdeed::refuses_orders:
    case Misdeed::comes_and_goes:
    case Misdeed::rooms_fail: break;  // these last three misdeeds close no link
  }
  return Errc::unexpected_message;
}

net::LinkHandlers link_handlers(LinkSink given) {
  const auto sink = std::make_shared<const LinkSink>(std::move(given));
  net::LinkHandlers handlers;
  handlers.on_up = [sink](const net::Peer& peer) { came_up(*sink, peer); };
  handlers.on_worker_said = [sink](const net::Peer& worker, wire::FromWorker&& message) {
    std::visit([&](auto& said) { hear(*sink, worker, std::move(said)); }, message);
  };
  handlers.on_peer_said = [sink](const net::Peer& peer, wire::BetweenMasters&& message) {
    peer_said(*sink, peer, std::move(message));
  };
  handlers.on_down = [sink](const net::Peer& peer, boost::system::error_code reason) {
    went_down(*sink, peer, reason);
  };
  handlers.on_batch_end = [sink] { sink->batch_ended(); };
  handlers.on_refused = [sink](const net::LinkFailure& failure) {
    sink->troubles.refused(failure, net::steady_now());
  };
  handlers.on_unreachable = [sink](const net::LinkFailure& failure) {
    sink->troubles.unreachable(failure, net::steady_now());
  };
  return handlers;
}

}  // namespace fixkeep::master
