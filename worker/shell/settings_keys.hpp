// The schemas of a worker's configuration.
// Thread rule: free functions. Bounds, errors: none.
#pragma once

#include <string>

#include "common/config/schema.hpp"
#include "worker/runner/runners.hpp"

namespace fixkeep::worker {

// Returns the JSON schema of a configuration for a runner. Null: for all runners together.
[[nodiscard]] std::string schema_of(const RunnerKind* runner);
// Returns the schema for the runner of this configuration. If there is no runner with this name,
// returns the schema for all runners.
[[nodiscard]] config::Schema schema_for(const config::Document& document);

}  // namespace fixkeep::worker
