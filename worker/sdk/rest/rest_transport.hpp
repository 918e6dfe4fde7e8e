// The REST form of the Agones SDK, on one loopback port a room. The port tells a room from the
// others, so there is nothing to authenticate.
//
// Source: the Agones repository, sdks/swagger/{sdk,alpha}.swagger.json. Field names in answers are
// snake_case and 64-bit numbers are decimal strings, as there. /alpha/player/connect answers
// {"bool":true} exactly if the worker admits the player, and does so again for a player that is in.
// Thread rule: one io_context, one thread. Bounds: `rest_connections`, 64 KiB a body.
// Errors: those of the game, answered with {"code","message","details"}.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>

#include "common/base/result.hpp"
#include "worker/sdk/session.hpp"
#include "worker/sdk/transport.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t rest_connections = 16;
inline constexpr std::size_t rest_turned_away = 2;
inline constexpr std::size_t rest_descriptors = 1 + rest_connections + rest_turned_away;

// Errors: there is no port left to listen on. The game finds the port in AGONES_SDK_HTTP_PORT.
[[nodiscard]] Result<std::unique_ptr<Transport>> start_rest_transport(
    boost::asio::io_context& context, std::shared_ptr<Session> session);

}  // namespace fixkeep::worker
