// The strategy `zookeeper`: a queue lock (queue_lock.hpp) in ZooKeeper 3.5 or later.
//
// Source: ZooKeeper's recipe for locks, with its amendment for lost answers. Entries are ephemeral
// sequential nodes /fixkeep/c-CLUSTER/g-GROUP/l-mMASTER-RUN-NUMBER-SEQUENCE. Three requests sent
// together make the entry and read the queue and the record (the data of the group's node). The
// server keeps the order of one client's requests. Each master watches the entry directly before
// its own entry. The master with the oldest entry needs no watch. The release writes the record and
// removes the entry in one transaction. An uncontended lock thus costs two round trips and two
// writes of the server's log.
//
// Fault model: that of ZooKeeper. Exclusion depends on three conditions. A majority of ZooKeeper's
// servers does not lose its data. No server gives wrong answers. Our clock and the servers' clocks
// have the same rate to a few per cent for the length of a session. We count the session from the
// time when we sent the last answered request. Thus the session ends here before it ends at the
// server. A master may be stalled after its grant; the fence covers this case. If an operator
// removes nodes, their holders lose the lock without notice.
//
// Tokens are the zxids under which entries were made. Zxids never decrease. If the servers lose
// their data, zxids start again. Masters that know a higher token continue above it
// (queue_lock.hpp, invariant 5). All other masters are told to fence, because the records are lost
// too. These masters learn the highest token from the workers. Groups are container nodes. The
// server removes a container node, with its record, a minute or two after the node's last use. The
// next holder fences if the record was removed, or if the entry before its own was abandoned.
//
// A node may exist although the connection broke before the answer to its creation. We recognise
// our nodes by their names, and remove all of them except our present entry. The search for the
// entry before our entry ignores the removed nodes.
//
// Bounds: `EngineOptions::keys` keys, one connection. A group's node has sequence numbers of 31
// bits until it is removed. Errors: Lost{engine_failure} beyond these bounds, or when the session
// ends while a key is held. The reason is logged. The kernel counts the bytes.
#pragma once

#include <memory>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

[[nodiscard]] Result<std::unique_ptr<Engine>> make_zookeeper_engine(
    boost::asio::io_context& context, const EngineOptions& options, EngineHandlers handlers);

}  // namespace fixkeep::engine
