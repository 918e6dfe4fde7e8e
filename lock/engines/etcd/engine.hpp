// The strategy `etcd`: a queue lock (queue_lock.hpp) in etcd 3.4 or later, over its JSON gateway.
//
// Source: etcd's concurrency recipe (client/v3/concurrency/key.go) with its reads in one
// transaction. An uncontended lock costs two round trips in all, enter and release, each one write
// of the server's log. One watch of all releases of the cluster wakes the waiters; it is open only
// while one waits. A watch for each waiter would be a connection for each.
//
// Fault model: etcd's. Exclusion holds on three conditions: a majority of its members keeps its
// disk, no member answers wrongly, and clocks, ours and the members', run alike to a few per cent
// for the length of a lease. All entries of a master belong to one lease. The lease counts from the
// sending of its last good renewal, so it is over here before it is over there. A stalled member
// may renew a lease that the others have ended (etcd issue 15247), and a master may be stalled
// after its grant: the fence is there for both. Keys deleted by hand take locks away, and the
// holders do not hear of it.
//
// Tokens are revisions of the server, which never go back. If etcd loses its data, they begin at 1
// again. Masters that know a higher token go on above it (queue_lock.hpp, invariant 5). Others are
// told to fence, since the records are gone too, and learn the highest token from the workers. The
// server keeps two small keys for each group, for one to two hours after its last use.
//
// A write may be carried out although its answer was lost, and later than we think. So entries have
// names of their own, every transaction checks its entry, and an entry that may be made late is
// voided before its key is let go (void_body).
//
// Bounds: `EngineOptions::keys` keys; 10 connections, the one of the watch included; 1024 releases
// remembered. Errors: Lost{engine_failure} when the lease is over while a key is held, and beyond
// them. Why is logged.
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
