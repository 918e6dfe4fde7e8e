// The strategy `zookeeper`: a queue lock (queue_lock.hpp) in ZooKeeper 3.5 or later.
//
// Source: ZooKeeper's recipe for locks with its amendment against lost answers. Entries are
// ephemeral sequential nodes /fixkeep/c-CLUSTER/g-GROUP/l-mMASTER-RUN-NUMBER-SEQUENCE. One flight
// makes the entry and reads the queue and the record (the data of the group's node). The server
// keeps the order of one client. Each master watches the entry right before its own; the oldest
// entry needs no watch. The release writes the record and removes the entry in one transaction. An
// uncontended lock thus costs two round trips and two writes of the server's log.
//
// Fault model: ZooKeeper's. Exclusion holds on three conditions. A majority of its servers keeps
// its disk. No server answers wrongly. Our clock and the servers' run alike to a few per cent for
// the length of a session. The session counts from the sending of the last answered request, so it
// ends here before it ends there. A master may be stalled after its grant: the fence is there for
// that. Nodes removed by hand take locks away: the holders do not hear of it.
//
// Tokens are the zxids under which entries were made. They never go back. If the servers lose their
// data zxids begin anew. Masters that know a higher token go on above it (queue_lock.hpp, invariant
// 5). Others are told to fence because the records are gone too. They learn from the workers.
// Groups are container nodes. The server removes them with their record a minute or two after their
// last use. Then the next holder fences. An abandoned entry costs the next holder a fence too.
//
// A node may exist although the connection broke before the answer to its making. Names tell our
// own nodes from others. A node of ours that is not our present entry is removed. The search for
// the entry before ours ignores it.
//
// Bounds: `EngineOptions::keys` keys, one connection. Sequence numbers have 31 bits for each life
// of a group's node. Errors: Lost{engine_failure} beyond them, or when the session ends while a key
// is held. The reason is logged. The kernel counts the bytes.
#pragma once

#include <memory>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

class ZookeeperEngine : public Engine {
 public:
  ZookeeperEngine(boost::asio::io_context& context, const EngineOptions& options,
                  EngineHandlers handlers);
  ~ZookeeperEngine() override;

  void perform(const GroupKey& key, lock::AskEngine&& ask) override;
  void stop(Duration limit) override;
  [[nodiscard]] bool ready() const override;
  [[nodiscard]] const EngineStatistics& statistics() const override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::engine
