// The strategy `zookeeper`: a queue lock (queue_lock.hpp) in ZooKeeper 3.5 or later.
//
// Source: ZooKeeper's recipe for locks, with its amendment against lost answers: entries are
// ephemeral sequential nodes /fixkeep/c-CLUSTER/g-GROUP/l-mMASTER-RUN-NUMBER-SEQUENCE. One flight
// makes the entry and reads the queue and the record (the data of the group's node): the server
// keeps the order of one client. A master whose entry is not the oldest watches the entry right
// before it. The release writes the record and removes the entry in one transaction. So an
// uncontended lock costs two round trips in all, and two writes of the server's log.
//
// Fault model: ZooKeeper's. Exclusion holds on three conditions: a majority of its servers keeps
// its disk, no server answers wrongly, and clocks, ours and the servers', run alike to a few per
// cent for the length of a session. The session counts from the sending of the last answered
// request, so it is over here before it is over there. A master may be stalled after its grant: the
// fence is there for that. Nodes removed by hand take locks away, and the holders do not hear of
// it.
//
// Tokens are the zxids under which entries were made; they never go back. If the servers lose their
// data, zxids begin anew. Masters that know a higher token go on above it (queue_lock.hpp,
// invariant 5). Others are told to fence, since the records are gone too, and learn from the
// workers.
// Groups are container nodes: the server removes them, record and all, a minute or two after their
// last use; the next holder fences. An entry that is abandoned costs the next holder a fence too.
//
// A node may exist although the connection broke before the answer to its making. Names tell our
// own nodes from others. A node of ours that is not our present entry is removed, and ignored in
// the search for the entry before ours.
//
// Bounds: `EngineOptions::keys` keys, one connection. Sequence numbers have 31 bits, for each life
// of a group's node. Errors: Lost{engine_failure} when the session is over while a key is held, and
// beyond them. Why is logged. Bytes are counted by the kernel.
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
