// The options of `replay`.
//
// Thread rule: values and a free function without state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/replay/arrivals.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

struct ReplayCommandOptions {
  std::string rules;
  std::string against;   // second file of rules; empty: no comparison
  std::string arrivals;  // file; empty: a made day
  bool check = false;    // true: only read and check the rules
  replay::MadeDay day;
  std::vector<std::string> numbers;  // for a made day, in the form of replay::parse_bell()
  std::uint32_t tick_ms = 1'000;
  std::uint32_t session_s = 600;
  std::size_t optimum = 500;  // arrivals for best_pairs(); 0: none
  double lambda = 10;
};

void add_replay_options(CLI::App& command, ReplayCommandOptions& options);

}  // namespace fixkeep::client_sim
