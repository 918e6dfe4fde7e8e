// Requests to an API server about pods and the readers of its answers: the API of core/v1
// (kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1).
//
// A pod of a room is the studio's template with the room's parts: its name, labels and annotations,
// no restart, the environment of a game and ports of the node. The game is the container "game" or
// the first one. Thread rule: free functions; sans-IO. Bounds of one answer: see its reader. Fault
// model: the server sends any object and may leave out every field. Errors: no value for an object
// that is no pod; a missing field is empty or false; a sentence for an unusable template.
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

// Escapes "$": Kubernetes fills in "$(NAME)" and takes "$$" for "$".
[[nodiscard]] std::string as_it_stands(std::string_view text);

// Says what is wrong with a template; empty: rooms can be made of it. `names`: a room's ports
// beside the first.
[[nodiscard]] std::string problem_of_template(const Json& pod_template,
                                              const std::vector<std::string>& names);
// The names of a room's ports by its template; the first is "default". A template without ports has
// "default" and `names`.
[[nodiscard]] std::vector<std::string> port_names(const Json& pod_template,
                                                  const std::vector<std::string>& names);

[[nodiscard]] std::vector<std::string> ports_of_room(const PodOptions& options);

// REQUIRES: the template has no problem.
[[nodiscard]] std::string pod_body(const PodOrder& order);
// Ends a pod: asks the game and kills it after the grace. Another pod of its name is left alone.
[[nodiscard]] std::string delete_body(std::string_view uid, std::chrono::seconds grace);
[[nodiscard]] std::string game_container(const Json& pod_template);

[[nodiscard]] std::optional<Pod> parse_pod(const Json& object);

// "cluster worker room creation": unique for each pod.
[[nodiscard]] std::string owner_text(const PodOrder& order);
// The text as a label: itself or a similar text with a hash.
[[nodiscard]] std::string label_value(std::string_view text);
// Selects all pods of a worker.
[[nodiscard]] std::string labels_of(const Owner& owner);

}  // namespace fixkeep::worker::kubernetes
