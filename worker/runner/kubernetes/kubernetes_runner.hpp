// Games as pods of a cluster of Kubernetes.
//
// A room's pod is made of the template of its mode, has the name of its launch's object, and an
// annotation that says whose it is (pod_texts.hpp). The scheduler chooses its node; its place is
// the node's address and ports of the worker's range, which no two rooms of the worker have alike,
// wherever they are. What becomes of pods is told by a watch; each has a life (pod_life.hpp).
//
// A worker that ends leaves its pods to the cluster; its next run finds them by their labels. What
// it finds that nobody knows it removes, whenever that appears: an order whose answer was lost may
// be carried out later. While the server does not answer, a quota is used up, or a pod waits for a
// node that has room, there are no places.
// Fault model: that of GameRunner, and of the lives. A server that is away takes no new rooms, and
// those that run are neither ended nor forgotten.
// Thread rule: as GameRunner. Bounds: those of its parts; `starts_at_once` pods on their way; the
// last bytes of what a game wrote (kept_output.hpp). Errors: in the words of GameEnd.
//
// The clients of Agones dial localhost, which in a pod is its own: a second container there is a
// relay that brings what the game says to the worker (worker/sdk/relay/relay.hpp). Without its
// image in the configuration games have no SDK. The end of a room is that of its game: the pod is
// removed, whatever else still runs in it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_kubernetes_runner(boost::asio::io_context& context,
                                                                 const RunnerOptions& options);

}  // namespace fixkeep::worker
