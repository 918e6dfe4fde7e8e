// All transports for games. A new transport needs its two files and one line here.
// Thread rule: the worker's thread. Errors: see the transports.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "worker/sdk/acceptor.hpp"
#include "worker/sdk/grpc/grpc_transport.hpp"
#include "worker/sdk/rest/rest_transport.hpp"
#include "worker/sdk/session.hpp"
#include "worker/sdk/transport.hpp"

namespace fixkeep::worker {

// The parts that the transports of all rooms of a worker share. A TransportHost outlives the
// transports.
struct TransportHost {
  boost::asio::io_context& context;
  std::unique_ptr<GrpcServer> grpc;

  [[nodiscard]] static Result<TransportHost> start(boost::asio::io_context& context);
};

struct TransportKind {
  std::string_view name;  // name of the transport for a relay beside a game
  std::unique_ptr<Transport> (*start)(TransportHost& host, std::shared_ptr<Session> session,
                                      Endpoint endpoint);
  std::size_t descriptors;  // most descriptors open at a time
};

inline constexpr std::array<TransportKind, 2> transport_kinds{{
    {"rest",
     [](TransportHost& host, std::shared_ptr<Session> session, Endpoint endpoint) {
       return start_rest_transport(host.context, std::move(session), std::move(endpoint));
     },
     rest_descriptors},
    {"grpc",
     [](TransportHost& host, std::shared_ptr<Session> session, Endpoint endpoint) {
       return start_grpc_transport(host.context, *host.grpc, std::move(session),
                                   std::move(endpoint));
     },
     grpc_descriptors},
}};

// Returns the number of descriptors that a worker reserves for each room.
[[nodiscard]] constexpr std::size_t transport_descriptors() {
  std::size_t sum = 0;
  for (const TransportKind& kind : transport_kinds) sum += kind.descriptors;
  return sum;
}

// The sockets of one room: one Listeners for each transport.
using RoomListeners = std::array<Listeners, transport_kinds.size()>;
[[nodiscard]] Result<RoomListeners> open_room_listeners(const std::string& host = loopback_name);
// Returns listeners for these ports of a loopback device that does not exist yet.
[[nodiscard]] RoomListeners room_listeners_at(const std::vector<std::uint16_t>& ports);
// Restores the listeners of a game from an earlier run; nullopt: the sockets do not match.
[[nodiscard]] std::optional<RoomListeners> to_room_listeners(
    std::vector<process::Descriptor> sockets);

using Transports = std::vector<std::unique_ptr<Transport>>;

// Starts each transport, in the order of `transport_kinds`.
[[nodiscard]] Transports start_transports(TransportHost& host,
                                          const std::shared_ptr<Session>& session,
                                          RoomListeners listeners,
                                          const FromTheRoom& from_the_room);

[[nodiscard]] std::map<std::string, std::string> variables_of(const Transports& transports);

}  // namespace fixkeep::worker
