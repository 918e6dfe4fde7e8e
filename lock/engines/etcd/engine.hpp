// The strategy `etcd`: a queue lock (queue_lock.hpp) in etcd 3.4 or later over its JSON gateway.
//
// Source: etcd's concurrency recipe (client/v3/concurrency/key.go) with its reads in one
// transaction. An uncontended lock costs two round trips in all: enter and release. Each writes the
// server's log once. One watch of all releases of the cluster wakes the waiters. It is open only
// while one waits. A watch for each waiter would be a connection for each.
//
// Fault model: etcd's. Exclusion holds on three conditions. A majority of its members keeps its
// disk. No member answers wrongly. Our clock and the members' run alike to a few per cent for the
// length of a lease. All entries of a master belong to one lease. The lease counts from the sending
// of its last good renewal, so it ends here before it ends there. A stalled member may renew a
// lease that the others have ended (etcd issue 15247). A master may be stalled after its grant. The
// fence is there for both. Keys deleted by hand take locks away: the holders do not hear of it.
//
// Tokens are revisions of the server, which never go back. If etcd loses its data they begin at 1
// again. Masters that know a higher token go on above it (queue_lock.hpp, invariant 5). Others are
// told to fence because the records are gone too. They learn the highest token from the workers.
// The server keeps two small keys for each group for one to two hours after its last use.
//
// A write may be carried out late and although its answer was lost. Therefore entries have names of
// their own, and every transaction checks its entry. An entry that may be made late is voided
// before its key is let go (void_body).
//
// Bounds: `EngineOptions::keys` keys; 10 connections with the watch's; 1024 remembered releases.
// Errors: Lost{engine_failure} beyond them, or when the lease ends while a key is held. The reason
// is logged.
#pragma once

#include <memory>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

class EtcdEngine : public Engine {
 public:
  EtcdEngine(boost::asio::io_context& context, const EngineOptions& options,
             EngineHandlers handlers);
  ~EtcdEngine() override;

  void perform(const GroupKey& key, lock::AskEngine&& ask) override;
  void stop(Duration limit) override;
  [[nodiscard]] bool ready() const override;
  [[nodiscard]] const EngineStatistics& statistics() const override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::engine
