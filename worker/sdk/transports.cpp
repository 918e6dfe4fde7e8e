#include "worker/sdk/transports.hpp"

#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::worker {

Result<TransportHost> TransportHost::start(boost::asio::io_context& context) {
  auto grpc = GrpcServer::start(context);
  if (!grpc) return grpc.error();
  return TransportHost{context, std::move(*grpc)};
}

Result<RoomListeners> open_room_listeners(const std::string& host) {
  RoomListeners all;
  for (Listeners& listeners : all) {
    auto opened = open_listeners(0, host);
    if (!opened) return opened.error();
    listeners = std::move(*opened);
  }
  return all;
}

RoomListeners room_listeners_at(const std::vector<std::uint16_t>& ports) {
  RoomListeners all;
  FIXKEEP_ASSERT(ports.size() == all.size(), std::to_string(ports.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all.at(i).port = ports[i];
  return all;
}

std::optional<RoomListeners> to_room_listeners(std::vector<process::Descriptor> sockets) {
  auto found = by_port(std::move(sockets));
  RoomListeners all;
  if (found.size() != all.size()) return std::nullopt;
  std::move(found.begin(), found.end(), all.begin());
  return all;
}

Transports start_transports(TransportHost& host, const std::shared_ptr<Session>& session,
                            RoomListeners listeners, const FromTheRoom& from_the_room) {
  Transports started;
  for (std::size_t i = 0; i < transport_kinds.size(); ++i) {
    started.push_back(
        transport_kinds[i].start(host, session, {std::move(listeners[i]), from_the_room}));
  }
  return started;
}

std::map<std::string, std::string> variables_of(const Transports& transports) {
  std::map<std::string, std::string> all;
  for (const auto& transport : transports) all.merge(transport->variables());
  return all;
}

}  // namespace fixkeep::worker
