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
  std::string against;   // a second file of rules; empty: no comparison
  std::string arrivals;  // a file; empty: a made day
  bool check = false;    // true: rules are only read and checked
  replay::MadeDay day;
  std::vector<std::string> numbers;  // numbers of a made day, each as replay::parse_bell() reads it
  std::uint32_t tick_ms = 1'000;
  std::uint32_t session_s = 600;
  std::size_t optimum = 500;  // arrivals compared with hindsight; 0: none
  double lambda = 10;
};

void add_replay_options(CLI::App& command, ReplayCommandOptions& options);

}  // namespace fixkeep::client_sim
