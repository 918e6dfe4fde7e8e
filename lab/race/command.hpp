// `fixkeep-lab race` runs two clusters, their race and the page that shows it.
//
// Thread rule: call from the main thread of a single-threaded process; blocks until SIGINT, SIGTERM
// or the end of the rounds. On return all processes of the clusters have ended. Errors: an exit
// code (see client-sim/options.hpp); the reason is written to `err`.
#pragma once

#include <iosfwd>

#include "client-sim/options.hpp"
#include "lab/race/options.hpp"

namespace fixkeep::client_sim {

// `options`: the lock and the settings of its cluster.
[[nodiscard]] int run_race(const Options& options, const RaceOptions& race, std::ostream& out,
                           std::ostream& err);

}  // namespace fixkeep::client_sim
