// The pictures of the runs in one setting, each lock in its style: what was made, and what for.
//
// Thread rule: a pure function. Bounds: with more locks than can be told apart in one plot each has
// a plot of its own; a fill plot shows most_fill_bars rooms; room bars as in room_bars.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client-sim/report/picture.hpp"
#include "client-sim/report/results.hpp"

namespace fixkeep::client_sim {

inline constexpr std::size_t most_locks_in_a_plot = 4;
inline constexpr std::size_t most_fill_bars = 300;

// The pictures of what is right or wrong stand first, then those of what is fast or slow. `suffix`
// ends the names of the files. REQUIRES: there is a run.
[[nodiscard]] std::vector<Picture> pictures_of(const std::vector<RunResult>& runs,
                                               const std::string& suffix);

}  // namespace fixkeep::client_sim
