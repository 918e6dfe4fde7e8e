// Why a request waits, for whoever made it: GET /v1/match/{request_id}/why, and a member of the
// problem that ends a wait in vain. The words are those of master/rules/plan/explain.hpp.
//
// Thread rule: free functions, the master's thread. Errors: 404 not-found; those of Intake.
#pragma once

#include <nlohmann/json.hpp>

#include "common/base/time.hpp"
#include "master/core/seam/why_waits.hpp"

namespace fixkeep::master {

struct ApiCall;

// Null, if no decision has explained it. What is said of times counts from `now`.
[[nodiscard]] nlohmann::ordered_json why_json(const WhyWaits& why, TimePoint now);

void show_why(const ApiCall& call);

// GET /v1/modes/{mode}/statistics
void show_mode_statistics(const ApiCall& call);

}  // namespace fixkeep::master
