// The answers to requests that get no seat and their stable names.
//
// Thread rule: free functions. Errors: none; docs/api.md lists the names.
#pragma once

#include <string_view>

#include "common/net/http/server.hpp"
#include "master/core/seam/events.hpp"
#include "master/http/identity/client_limits.hpp"
#include "master/http/match/capacity.hpp"

namespace fixkeep::master {

// Answers a request in a mode that a new configuration has changed.
inline constexpr std::string_view modes_changed = "modes-changed";
[[nodiscard]] net::HttpAnswer modes_changed_answer();

// The stable name of the error.
[[nodiscard]] std::string_view type_of(Refusal refusal);

[[nodiscard]] std::string_view type_of(const ClientLimits::Admission& refused);
[[nodiscard]] net::HttpAnswer to_answer(const ClientLimits::Admission& refused);

// Makes the answer that tells a refusal over HTTP. A player hears no more of it. `lack` counts if
// no worker could start a room. `games_fail`: games fail to boot or are not ready. The reason is
// for operators: workers' words about it name accounts, secrets and files.
[[nodiscard]] net::HttpAnswer to_answer(const Refused& refused, CapacityLack lack,
                                        bool games_fail = false);

}  // namespace fixkeep::master
