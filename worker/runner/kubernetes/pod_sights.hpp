// Says what pods, and the answers of an API server, mean for the life of an object.
//
// Thread rule: free functions; sans-IO. Bounds: see the readers of answers. Fault model: the server
// sends any object. Errors: an answer without a pod is a lost one.
#pragma once

#include <string>

#include "common/net/kubernetes/core/api_call.hpp"
#include "worker/runner/engine/object_life.hpp"
#include "worker/runner/engine/sight.hpp"
#include "worker/runner/kubernetes/pod.hpp"

namespace fixkeep::worker::kubernetes {

[[nodiscard]] engine::Sight sight_of(const Pod& pod);

[[nodiscard]] engine::Answer answer_to(engine::Ask ask,
                                       const fixkeep::kubernetes::ApiAnswer& answer,
                                       const fixkeep::kubernetes::Verdict& verdict);

// `owner`: the text of our annotation. An image that is being pulled has five minutes, or the boot
// timeout of the mode if that is longer: less than masters wait for a starting room.
[[nodiscard]] engine::ObjectTraits pod_traits(const PodOrder& order, std::string owner,
                                              Duration boot_timeout);

}  // namespace fixkeep::worker::kubernetes
