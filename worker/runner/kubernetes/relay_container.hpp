// The container beside a game in its pod: it relays the game's SDK (worker/sdk/relay/relay.hpp).
//
// Thread rule: free functions. Bounds: none. Errors: described in words.
#pragma once

#include <string>
#include <string_view>

#include "common/net/kubernetes/core/json.hpp"
#include "worker/runner/kubernetes/pod.hpp"

namespace fixkeep::worker::kubernetes {

inline constexpr std::string_view relay_name = "fixkeep-sdk";

// Returns the relay for a pod with these containers.
[[nodiscard]] fixkeep::kubernetes::Json relay_container(
    const SdkRelayOrder& sdk, const std::string& room, const fixkeep::kubernetes::Json& containers);
// Says why a pod from this template cannot have a relay. Empty: it can have a relay.
[[nodiscard]] std::string problem_with_relay(const fixkeep::kubernetes::Json& pod_template);

}  // namespace fixkeep::worker::kubernetes
