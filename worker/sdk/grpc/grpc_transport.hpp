// The gRPC form of the Agones SDK for one room: a loopback port. The worker's only GrpcServer
// serves its connections (grpc_server.hpp).
// Thread rule: one io_context and one thread; a transport is destroyed before the server. Bounds:
// `grpc_connections` connections. A further connection replaces a connection without an accepted
// call (common/net/http/connections_by_client.hpp), or is closed. Errors: sent to the game as a
// status of gRPC.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>

#include "worker/sdk/acceptor.hpp"
#include "worker/sdk/grpc/grpc_server.hpp"
#include "worker/sdk/session.hpp"
#include "worker/sdk/transport.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t grpc_connections = 4;  // an official client opens one connection
inline constexpr std::size_t grpc_descriptors =
    listeners_descriptors + grpc_connections * GrpcServer::connection_descriptors;

// The game finds the host in AGONES_SDK_GRPC_HOST and the port in AGONES_SDK_GRPC_PORT.
[[nodiscard]] std::unique_ptr<Transport> start_grpc_transport(boost::asio::io_context& context,
                                                              GrpcServer& server,
                                                              std::shared_ptr<Session> session,
                                                              Endpoint endpoint);

}  // namespace fixkeep::worker
