// The strategy `etcd`: a queue lock (queue_lock.hpp) in etcd 3.4 or later over its JSON gateway.
//
// Source: etcd's concurrency recipe (client/v3/concurrency/key.go) with its reads in one
// transaction. An uncontended lock costs two round trips: enter and release. Each of the two
// requests writes the server's log one time. One watch on all releases of the cluster wakes the
// waiters. This watch closes ten seconds after the last wait. A watch for each waiter would need a
// connection for each waiter.
//
// Fault model: that of etcd. Exclusion depends on three conditions: (1) a majority of etcd's
// members does not lose its data; (2) no member gives wrong answers; (3) our clock and the members'
// clocks have the same rate to a few per cent for the length of a lease.
//
// All entries of a master belong to one lease. We count the lease from the time when we sent its
// last successful renewal. Thus the lease ends here before it ends at the server. A stalled member
// may renew a lease that the other members have ended (etcd issue 15247). A master may be stalled
// after its grant. The fence covers both cases. If an operator deletes keys, their holders lose the
// lock without notice.
//
// Tokens are revisions of the server, which never decrease. If etcd loses its data, revisions begin
// at 1 again. Masters that know a higher token continue above it (queue_lock.hpp, invariant 5).
// All other masters are told to fence, because the records are lost too. These masters learn the
// highest token from the workers. The server keeps two small keys per group for one to two hours
// after the group's last use.
//
// The server may execute a write late, or without an answer to us. Therefore each entry has a
// unique name and every transaction checks its entry. If the server may make an entry late, we void
// this entry before we leave or release the key (void_body).
//
// Bounds: `EngineOptions::keys` keys; 10 connections including the watch; 1024 remembered releases.
// Errors: Lost{engine_failure} beyond these bounds or when the lease ends while a key is held. The
// reason is logged.
#pragma once

#include <memory>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

[[nodiscard]] Result<std::unique_ptr<Engine>> make_etcd_engine(boost::asio::io_context& context,
                                                               const EngineOptions& options,
                                                               EngineHandlers handlers);

}  // namespace fixkeep::engine
