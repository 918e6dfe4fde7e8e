// The answers to requests that get no seat, and the stable names of these errors.
//
// Thread rule: free functions. Errors: none; docs/api.md lists the names.
#pragma once

#include <string_view>

#include "common/net/http/server.hpp"
#include "master/core/seam/events.hpp"
#include "master/http/identity/client_limits.hpp"
#include "master/http/match/body.hpp"
#include "master/http/match/capacity.hpp"

namespace fixkeep::master {

// The error of a waiting request if a new configuration has changed its mode.
inline constexpr std::string_view modes_changed = "modes-changed";
[[nodiscard]] net::HttpAnswer modes_changed_answer();

// Returns the stable name of the error.
[[nodiscard]] std::string_view type_of(Refusal refusal);

[[nodiscard]] net::HttpAnswer to_answer(const MatchProblem& problem);

[[nodiscard]] std::string_view type_of(const ClientLimits::Admission& refused);
[[nodiscard]] net::HttpAnswer to_answer(const ClientLimits::Admission& refused);

// Returns the HTTP answer for a refusal. `lack`: used if no worker could start a room.
// `games_fail`: games fail to boot or are not ready. The answer has no more details. Only operators
// see the workers' reasons, because these name accounts, secrets and files.
[[nodiscard]] net::HttpAnswer to_answer(const Refused& refused, CapacityLack lack,
                                        bool games_fail = false);

}  // namespace fixkeep::master
