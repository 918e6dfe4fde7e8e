// `fixkeep-lab theory` counts the messages and flights of each lock of the mesh in simulated time,
// and compares them with the formulas of the lock's paper. A flight is the time of one message.
//
// Thread rule: call from the main thread. Bounds: `most_events` of each simulation. Errors: an exit
// code (see options.hpp): 1 if a count disagrees with its formula.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "client-sim/options.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

struct TheoryOptions {
  std::vector<std::size_t> masters{3, 5, 9, 16, 25, 36, 49, 64};
  std::size_t load_masters = 9;  // masters of the curves over load
  std::uint32_t seeds = 5;
  std::uint32_t grants = 1000;
  double hold = 2;  // flights
};

void add_theory_options(CLI::App& command, TheoryOptions& options);

// `options` names the locks and the files of the report.
[[nodiscard]] int run_theory(const Options& options, const TheoryOptions& theory, std::ostream& out,
                             std::ostream& err);

}  // namespace fixkeep::client_sim
