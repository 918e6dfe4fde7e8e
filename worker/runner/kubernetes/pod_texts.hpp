// Pods are put into the words of an API server here, and its answers are read: the API of core/v1
// (kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1).
//
// A pod of a room is the studio's template with what makes it one room of ours: its name, labels
// and annotations, no restart, the environment of a game, and ports of the node. The game is the
// container "game", or the first one.
// Thread rule: free functions; sans-IO. Bounds: of one answer, those of its reader. Fault model:
// the server sends any object, and may leave out every field. Errors: no value for what is no pod;
// what is missing in one is empty or false; a sentence for a template that cannot be one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/kubernetes/core/json.hpp"
#include "worker/runner/kubernetes/pod.hpp"
#include "worker/runner/pod_options.hpp"

namespace fixkeep::worker::kubernetes {

using fixkeep::kubernetes::Json;

// Kubernetes fills in "$(NAME)", and takes "$$" for "$".
[[nodiscard]] std::string as_it_stands(std::string_view text);

// Says what is wrong with a template; empty: rooms can be made of it. `names`: of the ports that a
// room has beside the first.
[[nodiscard]] std::string problem_of_template(const Json& pod_template,
                                              const std::vector<std::string>& names);
// The names of the ports that a room has by its template: the first is called "default". Of one
// that says nothing of ports these are "default" and `names`.
[[nodiscard]] std::vector<std::string> port_names(const Json& pod_template,
                                                  const std::vector<std::string>& names);

[[nodiscard]] std::vector<std::string> ports_of_room(const PodOptions& options);

// REQUIRES: the template has no problem.
[[nodiscard]] std::string pod_body(const PodOrder& order);
// Ends a pod: the game is asked, and killed when the grace is over. Another one of its name is left
// alone.
[[nodiscard]] std::string delete_body(std::string_view uid, std::chrono::seconds grace);
[[nodiscard]] std::string game_container(const Json& pod_template);

[[nodiscard]] std::optional<Pod> parse_pod(const Json& object);

// "cluster worker room creation", which no two pods have alike.
[[nodiscard]] std::string owner_text(const PodOrder& order);
// The text as a label may be: itself, or what is like it and a hash.
[[nodiscard]] std::string label_value(std::string_view text);
// Selects all pods of a worker.
[[nodiscard]] std::string labels_of(const Owner& owner);

}  // namespace fixkeep::worker::kubernetes
