// Games as pods of a Kubernetes cluster.
//
// A room's pod is made from the template of its mode with the name of its launch's object and an
// annotation of its owner (pod_texts.hpp). The scheduler chooses its node. Its place is the node's
// address and ports of the worker's range. No two rooms of the worker share a port, even on
// different nodes. A watch tells the state of pods. pod_sights.hpp says what it means in
// the frame of engines (engine/engine_runner.hpp).
//
// A worker that ends leaves its pods to the cluster. Its next run finds them by their labels. An
// unknown pod of its own is removed whenever it appears: an order whose answer was lost may be
// carried out later. There are no places while the server does not answer, a quota is used up or a
// pod waits for a node with room.
// Fault model: as GameRunner and Engine. A server that is away takes no new rooms. Running games
// are neither ended nor forgotten.
// Thread rule: as GameRunner. Bounds: see its parts; `starts_at_once` pods on their way; the last
// bytes of a game's output (kept_output.hpp). Errors: in the words of GameEnd.
//
// The clients of Agones dial localhost. In a pod that is its own. A second container there is a
// relay that brings the game's calls to the worker (worker/sdk/relay/relay.hpp). Without its image
// in the configuration games have no SDK. A room ends with its game: the pod is removed even if
// other containers still run.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_kubernetes_runner(boost::asio::io_context& context,
                                                                 const RunnerOptions& options);

}  // namespace fixkeep::worker
