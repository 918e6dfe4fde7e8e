// Where the time of the matches went for each lock.
//
// The figures of several seeds are the means over all of their matches. Beside them stands the
// least time of a match that needs a room and does not wait for other players: the boot, one way
// over the network for the order and one for the news. A lock adds one round trip for itself and
// one for the fence of a new group. Thread rule: free functions without state.
#pragma once

#include <optional>
#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

// Only of a burst between nodes that are all equally far apart; nothing otherwise.
[[nodiscard]] std::optional<double> needed_ms(const RunResult& run);

// Returns the means over all runs together; nothing if no match was told of.
[[nodiscard]] std::optional<StageTimes> mean_stages(const std::vector<const RunResult*>& runs);

// A row for each lock; only a heading if events are missing.
[[nodiscard]] Table stages_table(const std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
