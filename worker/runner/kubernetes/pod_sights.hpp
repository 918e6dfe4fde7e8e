// Converts pods and the answers of an API server for ObjectLife (engine/object_life.hpp).
//
// Thread rule: free functions; sans-IO. Bounds: see the readers of answers. Fault model: the server
// sends any object. Errors: an answer without a pod counts as lost.
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

// `owner` is the text of our annotation. The traits allow five minutes for a pull of an image, or
// the mode's boot timeout if it is longer. Masters wait longer than this for a starting room.
[[nodiscard]] engine::ObjectTraits pod_traits(const PodOrder& order, std::string owner,
                                              Duration boot_timeout);

}  // namespace fixkeep::worker::kubernetes
