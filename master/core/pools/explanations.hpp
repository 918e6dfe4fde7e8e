// A pool's holder explains to masters why their claims still wait. Each decision explains the
// claims whose clients have asked. Once per `explaining_pace` a decision also explains the oldest
// claims.
//
// The explanation describes the state after the decision, without the seated claims and their
// seats.
// Thread rule: free function. Bounds: at most `explaining_looks_most` visits to claims and rooms,
// wire::limits::explained claims. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/pool_messages.hpp"
#include "master/core/pools/gathering.hpp"
#include "master/rules/plan/decision.hpp"
#include "master/rules/plan/rules.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master {

inline constexpr std::uint64_t explaining_looks_most = 200'000;
inline constexpr Duration explaining_pace = std::chrono::seconds{1};

using ExplainedByLender = std::map<MasterId, std::vector<wire::Explained>>;

// Returns the explanations for each master that lent claims. `oldest`: explains the oldest claims,
// too. `regions`: as in plan::Budget. REQUIRES: `decision` is a plan for these arguments. The
// tickets are from `gathering`.
[[nodiscard]] ExplainedByLender explain_waiting(
    const plan::Rules& rules, const plan::TicketPool& tickets, std::vector<plan::Room> rooms,
    std::uint32_t regions, const plan::Decision& decision, const Gathering& gathering, bool oldest,
    TimePoint now);

}  // namespace fixkeep::master
