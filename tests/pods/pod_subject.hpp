// Games in pods of a real cluster, for tests: the worker, the launches of its games, and what the
// cluster shows of it. $FIXKEEP_KUBERNETES is the folder of scripts/private-cluster.sh.
//
// Thread rule: one thread. Bounds: a limit for each question. Errors: a server that does not answer
// is thrown as std::runtime_error, so that no test takes its silence for an empty cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/net/kubernetes/core/json.hpp"
#include "tests/unit/worker/runner/runner_subject.hpp"
#include "worker/runner/kubernetes/pod.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker::test_pods {

using fixkeep::kubernetes::Json;

inline constexpr auto image = "fixkeep-test-tools";  // of scripts/private-engine.sh

[[nodiscard]] std::string cluster_folder();
[[nodiscard]] RunnerOptions options_in(const std::string& folder);
[[nodiscard]] Json pod_template();
[[nodiscard]] Launch launch_of(const std::string& room, std::vector<std::string> command);

// Asks as the worker's user, below the namespace of its pods. Null: there is no such thing.
Json ask(const std::string& method, const std::string& path, const std::string& body = {});
[[nodiscard]] std::optional<kubernetes::Pod> shown(const std::string& name);
[[nodiscard]] std::string log_of(const std::string& name);
// Removes a pod and waits until it is gone.
void remove(const std::string& name);
// Runs kubectl as the cluster's administrator; false: it said no.
bool kubectl(const std::string& words);

}  // namespace fixkeep::worker::test_pods
