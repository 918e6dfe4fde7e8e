// The strategy `postgres`: an advisory lock and a row with the epoch, in PostgreSQL 14 or later.
//
// Source: PostgreSQL's documentation, "Advisory Locks" and "NOTIFY"; the epoch is the sequencer of
// Burrows, "The Chubby lock service for loosely-coupled distributed systems" (2006). The session
// takes the lock pg_try_advisory_lock(hash of the name) and, in the same transaction, writes the
// next number of a sequence into the row of the name (statements.hpp). This number is the token.
// The row also has the previous number and the record of the last release. The next holder thus
// knows whether its predecessor released the lock.
//
// Cost: 2 requests for a lock without contention, each one transaction that is written to the
// server's log. Each release of a key wakes all waiters of the key (NOTIFY), and they repeat their
// requests. Waiters also repeat their requests every 500 ms, because nothing reports the end of a
// session. There is no queue. All masters are notified of all releases. Each master has one
// connection.
//
// Fault model: one primary that does not lose what it has committed, and clocks with the same rate
// to ten per cent. A broken connection ends the session. At the master, the session ends
// immediately. At the server, it ends when the server notices the break, at the latest after the
// ttl and an eighth more. If a holder was paused or vanished, its session at the server ends after
// the same time. A paused holder may believe that it holds the key, until it has run again and
// noticed the end of its session (session.hpp). The next holder is therefore told to fence, and its
// token is higher, so workers refuse the old holder's orders.
// A stopped server grants nothing. A restarted server has no sessions: all locks are lost, but the
// tokens are not lost. A standby that is promoted without the last commits, or a database restored
// from a copy, may repeat numbers. Masters that know a higher token continue above it
// (queue_lock.hpp, invariant 5), and the fence protects all other masters. Two names with the same
// hash block each other.
//
// Rows that were not used for two hours are removed; the sequence remains. A connection pooler must
// not share sessions. Bounds: `EngineOptions::keys` keys. Errors: Lost{engine_failure} beyond these
// bounds, or when the session ends while a key is held. The reason is logged.
#pragma once

#include <memory>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

[[nodiscard]] Result<std::unique_ptr<Engine>> make_postgres_engine(boost::asio::io_context& context,
                                                                   const EngineOptions& options,
                                                                   EngineHandlers handlers);

}  // namespace fixkeep::engine
