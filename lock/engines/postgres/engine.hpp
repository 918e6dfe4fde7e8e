// The strategy `postgres`: an advisory lock and a row with the epoch, in PostgreSQL 14 or later.
//
// Source: PostgreSQL's documentation, "Advisory Locks" and "NOTIFY"; the epoch is the sequencer of
// Burrows, "The Chubby lock service for loosely-coupled distributed systems" (2006). The session
// takes the lock pg_try_advisory_lock(hash of the name) and, in the same transaction, writes the
// next number of a sequence into the row of the name (statements.hpp). This number is the token.
// The row also has the number before it and the record of the last release, so the next holder
// knows whether its predecessor released the lock.
//
// Cost: 2 requests for a lock without contention, each one transaction that is written to the
// server's log. A waiting master repeats its request after each release of the key (NOTIFY), which
// wakes all its waiters, and every 500 ms, because nobody tells of a session that ended. There is
// no queue. All releases are told to all masters. Each master has one connection.
//
// Fault model: one primary that does not lose what it has committed, and clocks with the same rate
// to ten per cent. A broken connection ends the session: here at once, at the server as soon as it
// notices, after an eighth more than the ttl at the latest. A holder that was paused or vanished
// loses its session at the server after the same time; a paused one finds its lease over when it
// runs again (session.hpp). Until then it may still believe that it holds the key. The next holder
// is therefore told to fence, and its token is higher, so workers refuse the old holder's orders.
// A stopped server grants nothing. A restarted server has no session left: all locks are lost, no
// token is. A standby that is promoted without the last commits, or a database restored from a
// copy, may repeat numbers: masters that know a higher token continue above it (queue_lock.hpp,
// invariant 5), and the fence protects the others. Two names with one hash wait for each other.
//
// Rows that were not used for two hours are removed; the sequence remains. A connection pooler must
// not share sessions. Bounds: `EngineOptions::keys` keys. Errors: Lost{engine_failure} beyond these
// bounds, or when the session ends while a key is held. The reason is logged.
#pragma once

#include <memory>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

class PostgresEngine : public Engine {
 public:
  PostgresEngine(boost::asio::io_context& context, const EngineOptions& options,
                 EngineHandlers handlers);
  ~PostgresEngine() override;

  void perform(const GroupKey& key, lock::AskEngine&& ask) override;
  void stop(Duration limit) override;
  [[nodiscard]] bool ready() const override;
  [[nodiscard]] const EngineStatistics& statistics() const override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::engine
