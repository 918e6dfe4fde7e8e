// Makes the API server calls for a pod's life and reads the answers.
//
// Thread rule: that of the client. Bounds: a time limit for each call. Errors: see ApiAnswer.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/net/kubernetes/api_client.hpp"
#include "worker/runner/engine/object_life.hpp"
#include "worker/runner/kubernetes/pod.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker::kubernetes {

namespace api = fixkeep::kubernetes;

inline constexpr std::size_t log_lines = 200;  // limit of the lines that are read

// The namespace of the pods and the worker's access to it.
struct PodSpace {
  api::Access access;
  api::Resource pods;
  Owner owner;
};

[[nodiscard]] PodOrder pod_order(const Launch& launch, const Owner& owner,
                                 std::vector<wire::NamedPort> ports,
                                 const KubernetesOptions::Sdk& sdk);
[[nodiscard]] api::ApiCall remove_call(const api::Resource& pods, const std::string& name,
                                       std::string_view uid, std::chrono::seconds grace);
[[nodiscard]] api::ApiCall log_call(const api::Resource& pods, const PodOrder& order, bool follow);

inline constexpr std::chrono::seconds call_limit{30};
// The shortest time that a kubelet can give to a game between request to end and kill.
inline constexpr std::chrono::seconds kill_grace{1};

[[nodiscard]] api::ApiCall call_for(const api::Resource& pods, const engine::Call& call,
                                    const PodOrder& order, std::string_view uid);

// Lists all pods of a worker and waits for the list. A returned text is the error.
[[nodiscard]] std::variant<std::vector<Pod>, std::string> list_and_wait(
    const PodSpace& space, std::chrono::milliseconds limit);
// Removes the worker's pods in `names`. Waits until these pods are gone, and no such pod was seen
// for the time `quiet`. Returns how many pods are left. In the last third of the limit, pods are
// removed without their node's consent: some nodes need a minute to report a game's end.
[[nodiscard]] std::size_t remove_and_wait(const PodSpace& space,
                                          const std::vector<std::string>& names,
                                          std::chrono::milliseconds limit,
                                          std::chrono::milliseconds quiet = {});
[[nodiscard]] bool is_of(std::string_view owner_text, const Owner& owner);

}  // namespace fixkeep::worker::kubernetes
