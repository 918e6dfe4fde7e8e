#include "worker/runner/kubernetes/relay_container.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "worker/runner/kubernetes/pod_texts.hpp"
#include "worker/sdk/usual_ports.hpp"

namespace fixkeep::worker::kubernetes {

using fixkeep::kubernetes::at;
using fixkeep::kubernetes::Json;
using fixkeep::kubernetes::number_at;

namespace {

constexpr std::array usual_ports{usual_rest_port, usual_grpc_port};

bool is_usual_port(std::int64_t number) {
  return std::find(usual_ports.begin(), usual_ports.end(), number) != usual_ports.end();
}

// A CPU limit would make the relay start slowly, and the game waits for the relay. Therefore the
// relay usually has none. Exception: if every other container has a CPU limit, the relay has one
// too. A quota may require this limit. Also, a pod whose limits equal its requests then keeps its
// class of service and its own processors.
Json relay_resources(const Json& containers) {
  const bool limited = std::ranges::all_of(containers, [](const Json& each) {
    return at(at(at(each, "resources"), "limits"), "cpu") != nullptr;
  });
  Json requests{{"cpu", limited ? "100m" : "20m"}, {"memory", "32Mi"}};
  Json limits = requests;
  if (!limited) limits.erase("cpu");
  return {{"requests", std::move(requests)}, {"limits", std::move(limits)}};
}

}  // namespace

// The relay runs as user 65534 (nobody) without any rights.
Json relay_container(const SdkRelayOrder& sdk, const std::string& room, const Json& containers) {
  Json variables = Json::array();
  const auto add = [&](const char* name, const std::string& value) {
    variables.push_back({{"name", name}, {"value", as_it_stands(value)}});
  };
  add("FIXKEEP_SDK_HOST", sdk.host);
  add("FIXKEEP_SDK_PORT", std::to_string(sdk.port));
  add("FIXKEEP_SDK_TOKEN", sdk.token);
  add("FIXKEEP_SDK_ALONE_MS", std::to_string(sdk.alone.count()));
  add("FIXKEEP_ROOM_ID", room);
  const Json security{{"allowPrivilegeEscalation", false},
                      {"capabilities", {{"drop", Json::array({"ALL"})}}},
                      {"readOnlyRootFilesystem", true},
                      {"runAsNonRoot", true},
                      {"runAsUser", 65534}};
  return {{"name", relay_name},
          {"image", sdk.image},
          {"imagePullPolicy", "IfNotPresent"},
          {"command", Json::array({"fixkeep-sdk-relay"})},
          {"env", std::move(variables)},
          {"resources", relay_resources(containers)},
          {"securityContext", security}};
}

std::string problem_with_relay(const Json& pod_template) {
  const Json& spec = at(pod_template, "spec");
  if (at(spec, "hostNetwork") == true) {
    return "must not have hostNetwork: rooms of a node would share the ports of their SDKs";
  }
  for (const Json& container : at(spec, "containers")) {
    if (at(container, "name") == relay_name) {
      return "must not have a container \"" + std::string{relay_name} + "\", which is the SDK's";
    }
    const Json& ports = at(container, "ports");
    for (const Json& port : ports.is_array() ? ports : Json::array()) {
      const auto number = number_at(port, "containerPort");
      if (number && is_usual_port(*number)) {
        return "must not have the containerPort " + std::to_string(*number) +
               ", which is the SDK's";
      }
    }
  }
  return {};
}

}  // namespace fixkeep::worker::kubernetes
