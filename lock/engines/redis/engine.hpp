// The engine of the strategies `redis` (one server) and `redlock` (any odd number of them). It has
// a RedlockMachine for each key and carries messages to the servers and back. redlock_machine.hpp
// states the promises and the fault model. server.hpp says when a server counts.
//
// ready(): a majority of the servers is up. Replies come last in a step: a handler may call
// perform() and stop() but not destroy the engine. stop() releases held locks without a value. The
// next holder fences: the caller's orders are unknown here.
//
// REQUIRES: another seed in each run of each master. One ttl for all masters of a cluster.
// Thread rule: the thread of the io_context. Bounds: `EngineOptions::keys` machines.
// Errors: see make_redis_engine; Lost.
#pragma once

#include <memory>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

// Errors: invalid_configuration: the number of servers is even, or not 1 for `redis`; a ttl below
// `shortest_ttl`.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_redis_engine(boost::asio::io_context& context,
                                                                const EngineOptions& options,
                                                                EngineHandlers handlers);

// Drift takes 2 ms and more of it.
inline constexpr std::chrono::milliseconds shortest_ttl{20};

}  // namespace fixkeep::engine
