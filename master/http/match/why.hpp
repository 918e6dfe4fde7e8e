// Explains to the caller why its request waits: GET /v1/match/{request_id}/why, and a member of the
// problem document after a wait without a seat. The terms are in master/rules/plan/explain.hpp.
//
// Thread rule: free functions, the master's thread. Errors: 404 not-found, and those of Intake.
#pragma once

#include <nlohmann/json.hpp>

#include "common/base/time.hpp"
#include "master/core/seam/why_waits.hpp"

namespace fixkeep::master {

struct ApiCall;

// Returns null if no decision has explained the wait. Times count from `now`.
[[nodiscard]] nlohmann::ordered_json why_json(const WhyWaits& why, TimePoint now);

void show_why(const ApiCall& call);

// Answers GET /v1/modes/{mode}/statistics.
void show_mode_statistics(const ApiCall& call);

}  // namespace fixkeep::master
