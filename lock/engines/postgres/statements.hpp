// The SQL of the strategy `postgres`.
//
// Thread rule: constants and free functions. Errors: read_taken() returns nothing if the result is
// not an answer to `take`.
#pragma once

#include <postgresql/libpq-fe.h>

#include <array>
#include <optional>

#include "lock/core/server/queue_lock.hpp"

namespace fixkeep::engine {

inline constexpr const char* postgres_channel = "fixkeep_locks";

// Makes the table and the sequence if they do not exist. Two masters may do this at the same time.
inline constexpr const char* postgres_setup = R"(DO $$BEGIN
  IF to_regclass('fixkeep_locks') IS NULL OR to_regclass('fixkeep_epoch') IS NULL THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('fixkeep_locks', 0));
    CREATE TABLE IF NOT EXISTS fixkeep_locks (name text PRIMARY KEY, epoch bigint NOT NULL,
      before bigint NOT NULL, record bytea, used timestamptz NOT NULL DEFAULT now());
    CREATE SEQUENCE IF NOT EXISTS fixkeep_epoch;
  END IF;
END$$)";

struct PostgresStatement {
  const char* name;
  const char* text;
  int parameters;
};

inline constexpr auto postgres_statements = std::to_array<PostgresStatement>({
    // Takes the lock $1 and writes the new epoch in one transaction. If another session has the
    // lock, the result has no row. The epoch is drawn after the lock was taken, so it is above the
    // epochs of all earlier holders. A release that is not committed yet blocks the row for a
    // moment.
    {"take",
     "WITH got AS MATERIALIZED (SELECT pg_try_advisory_lock(hashtextextended($1::text, 0)) AS ok) "
     "INSERT INTO fixkeep_locks AS l (name, epoch, before) "
     "SELECT $1::text, nextval('fixkeep_epoch'), 0 FROM got WHERE ok "
     "ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch, before = l.epoch, used = now() "
     "RETURNING epoch, before, record",
     1},
    // Writes the record $2 of the holder with the epoch $3, then frees the lock $1. count(*) makes
    // the server write the record before it frees the lock.
    {"release",
     "WITH kept AS (UPDATE fixkeep_locks SET record = $2::bytea "
     "WHERE name = $1::text AND epoch = $3::bigint RETURNING 1), "
     "done AS MATERIALIZED (SELECT count(*) FROM kept) "
     "SELECT pg_advisory_unlock(hashtextextended($1::text, 0)), "
     "pg_notify('fixkeep_locks', $1::text) FROM done",
     3},
    {"leave",
     "SELECT pg_advisory_unlock(hashtextextended($1::text, 0)), "
     "pg_notify('fixkeep_locks', $1::text)",
     1},
    {"sweep", "DELETE FROM fixkeep_locks WHERE used < now() - interval '2 hours'", 0},
});

// Reads the answer to `take`. If another session has the lock, `oldest` is false.
[[nodiscard]] std::optional<lock::QueueStanding> read_taken(const PGresult& result);

}  // namespace fixkeep::engine
