// Runs games as pods of a Kubernetes cluster.
//
// A room's pod is made from its mode's template. The pod is named by Launch::object, and an
// annotation contains its owner (pod_texts.hpp). The scheduler chooses the pod's node. Players
// reach the game at the node's address, at ports of the worker's range. No two rooms of the worker
// share a port, even on different nodes. A watch reports the state of pods. pod_sights.hpp converts
// that state for EngineRunner (engine/engine_runner.hpp).
//
// If a worker ends, its pods remain in the cluster. The worker's next run finds them by their
// labels. If an unknown pod of this worker appears, it is removed. Such a pod appears if an answer
// to an order was lost and the cluster carried out the order late. In three cases the worker has no
// free places, even if ports are free: the server does not answer, it refuses every pod (for
// example, a quota is used up), or a pod waits for a node.
// Fault model: see GameRunner and Engine. While the server is away, no new rooms start. Running
// games go on and are remembered. Thread rule: see GameRunner. Bounds: see the parts; at most
// `starts_at_once` pods start at a time; the last output of games (kept_output.hpp). Errors:
// described in GameEnd::how.
//
// The clients of Agones connect to localhost, and each pod has its own localhost. Therefore a
// second container in the pod relays the game's calls to the worker (worker/sdk/relay/relay.hpp).
// Without the relay's image in the configuration, games have no SDK. A room ends with its game: the
// pod is then removed, even if other containers still run.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "common/config/fields.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_kubernetes_runner(boost::asio::io_context& context,
                                                                 const RunnerOptions& options);

// The keys of a game that runs in a pod.
void describe_pod(config::Fields& fields, Launch& launch);
void check_pod(const config::Document& document, const std::string& key,
               config::Problems& problems);
// The section `kubernetes` of `rooms`.
void describe_kubernetes(config::Fields& fields, KubernetesOptions& options);

}  // namespace fixkeep::worker
