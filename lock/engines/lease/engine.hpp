// The strategy `kubernetes-lease`: a Lease (coordination.k8s.io/v1) for each key, in a Kubernetes
// API server.
//
// Source: the leader election of Kubernetes' client-go (tools/leaderelection). A master takes a key
// with a write that names the version of the object that the master has read. If another write came
// before, the server refuses (409). So only one of several masters gets the key. The holder renews
// the Lease; a release writes the record and removes the holder. The annotation fixkeep/epoch
// counts the grants and is the token. A new object begins with the time in milliseconds, so its
// tokens are above the tokens of a lost object.
//
// Cost: 3 requests for a lock without contention: read, take, release. A hold that lasts longer
// than a third of the ttl is renewed. All masters watch all Leases of the cluster. A release wakes
// all waiters of the key. The waiters also ask every 500 ms, because a holder that died writes
// nothing. There is no queue.
//
// Fault model: that of etcd behind the API server: a majority of its members does not lose its
// disk. Clocks need not show the same time, but their rates must agree to ten per cent. A holder
// counts its lease from the time when it sent the last write that succeeded. Another master takes a
// Lease if the version has not changed for the length of the Lease and an eighth more. A holder
// that was paused for longer may believe that it holds the key, until it has run again and noticed
// the end of its lease. The next holder is therefore told to fence, and its token is higher, so
// workers refuse the old holder's orders. A write whose answer is lost may succeed later. The next
// write names a version, so only one of the two writes succeeds. If no more writes come, the Lease
// ends by itself. If the API server is away, nothing is granted, and holders lose their keys at the
// end of their leases. If an operator deletes a Lease, the key is free, but its holder believes
// until the next renewal that it has the key. The next holder fences.
//
// Leases that were free for two hours are deleted. Bounds: `EngineOptions::keys` keys; connections
// as in common/net/http/pool.hpp. Errors: Lost{engine_failure} beyond these bounds, or when a lease
// ends while its key is held. The reason is logged.
#pragma once

#include <memory>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

// Errors: no credentials; the reason is logged.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_lease_engine(boost::asio::io_context& context,
                                                                const EngineOptions& options,
                                                                EngineHandlers handlers);

}  // namespace fixkeep::engine
