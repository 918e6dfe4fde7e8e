// The REST form of the Agones SDK on one loopback port for each room. The port identifies the room.
// The endpoint checks that only the room's processes use the port.
//
// Source: the Agones repository, sdks/swagger/{sdk,beta,alpha}.swagger.json. The transport behaves
// like Agones' gateway. A request with a known path and a wrong method is answered with 501. An
// empty body is an empty object, except for /health. The body of a GET is ignored. Errors are
// {"code","message","details"}. The JSON is that of the gRPC messages (json.hpp). For GET
// /watch/gameserver, see watch_stream.hpp.
// Thread rule: one io_context and one thread. Bounds: `rest_connections`; 64 KiB a body;
// Session::watchers_most watchers. Errors: a wrong request is answered as above.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>

#include "worker/sdk/acceptor.hpp"
#include "worker/sdk/session.hpp"
#include "worker/sdk/transport.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t rest_connections = 16;  // without the connections of watchers
inline constexpr std::size_t rest_turned_away = 2;
inline constexpr std::size_t rest_descriptors =
    listeners_descriptors + rest_connections + rest_turned_away + Session::watchers_most;

// The game finds the port in AGONES_SDK_HTTP_PORT.
[[nodiscard]] std::unique_ptr<Transport> start_rest_transport(boost::asio::io_context& context,
                                                              std::shared_ptr<Session> session,
                                                              Endpoint endpoint);

}  // namespace fixkeep::worker
