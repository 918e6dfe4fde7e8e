// Shows for each lock the mean time of the matches in each stage.
//
// The figures of several seeds are means over all their matches. Another column shows the least
// time of a match that needs a room and does not wait for other players. This is the sum of the
// boot time, a one-way delay for the order and a one-way delay for the news. A lock adds two round
// trips: one for the lock and one for the fence of a new group. Thread rule: free functions without
// state.
#pragma once

#include <optional>
#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

// Returns the least time of a match, if the run was a burst between equally distant nodes.
[[nodiscard]] std::optional<double> needed_ms(const RunResult& run);

// Returns the means over all runs together; no value if no match was reported.
[[nodiscard]] std::optional<StageTimes> mean_stages(const std::vector<const RunResult*>& runs);

// Returns a row for each lock; only a heading if events are missing.
[[nodiscard]] Table stages_table(const std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
