// The engine of the strategies `redis` (one server) and `redlock` (any odd number of them). It has
// a RedlockMachine for each key and transports commands and replies. redlock_machine.hpp states the
// promises and the fault model. server.hpp says when a server is up.
//
// ready() is true while a majority of the servers is up. Handlers are called at the end of a step:
// they may call perform() and stop() but not destroy the engine. stop() releases held locks without
// a value. The next holder fences: the caller's orders are unknown here.
//
// REQUIRES: a different seed in each run of each master; one ttl for all masters of a cluster.
// Thread rule: the thread of the io_context. Bounds: `EngineOptions::keys` machines.
// Errors: see make_redis_engine; Lost.
#pragma once

#include <memory>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

// Errors: invalid_configuration if the number of servers is even or, for `redis`, not 1, or if the
// ttl is below `shortest_ttl`.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_redis_engine(boost::asio::io_context& context,
                                                                const EngineOptions& options,
                                                                EngineHandlers handlers);

// Half of the ttl must be left after the round, and more than 2 ms are subtracted for clock drift.
// With a shorter ttl, too little time would be left for the round itself.
inline constexpr std::chrono::milliseconds shortest_ttl{20};

}  // namespace fixkeep::engine
