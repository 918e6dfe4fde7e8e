// Makes requests about pods to an API server and reads its answers. The API is core/v1
// (kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1).
//
// A room's pod is the studio's template with the room's name, labels, annotations, environment and
// ports of the node. Containers are never restarted. The game is the container "game"; if there is
// none, the first container. Thread rule: free functions; sans-IO. Bounds: see the readers of
// answers. Fault model: the server sends any object and may leave out every field. Errors: an
// object that is not a pod gives no value; a missing field is empty or false; an unusable template
// gives a sentence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/kubernetes/core/json.hpp"
#include "worker/runner/kubernetes/pod.hpp"
#include "worker/runner/pod_options.hpp"

namespace fixkeep::worker::kubernetes {

using fixkeep::kubernetes::Json;

// Escapes "$": Kubernetes replaces "$(NAME)" and reads "$$" as "$".
[[nodiscard]] std::string as_it_stands(std::string_view text);

// Returns the mistake in a template. Empty: rooms can be made from the template. `names` has the
// names of a room's ports after the first port.
[[nodiscard]] std::string problem_of_template(const Json& pod_template,
                                              const std::vector<std::string>& names);
// Returns the names of a room's ports in its template. The first name is "default". For a template
// without ports, the names are "default" and `names`.
[[nodiscard]] std::vector<std::string> port_names(const Json& pod_template,
                                                  const std::vector<std::string>& names);

[[nodiscard]] std::vector<std::string> ports_of_room(const PodOptions& options);

// REQUIRES: the template has no problem.
[[nodiscard]] std::string pod_body(const PodOrder& order);
// Returns the body of a request that ends a pod: the kubelet asks the game to end and kills it
// after `grace`. If another pod has the name now, nothing happens.
[[nodiscard]] std::string delete_body(std::string_view uid, std::chrono::seconds grace);
[[nodiscard]] std::string game_container(const Json& pod_template);

[[nodiscard]] std::optional<Pod> parse_pod(const Json& object);

// Returns "cluster worker room creation", which is unique for each pod.
[[nodiscard]] std::string owner_text(const PodOrder& order);
// Returns a valid label: the text itself or a similar text with a hash.
[[nodiscard]] std::string label_value(std::string_view text);
// Returns the label selector that finds all pods of a worker.
[[nodiscard]] std::string labels_of(const Owner& owner);

}  // namespace fixkeep::worker::kubernetes
