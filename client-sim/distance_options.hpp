// The dial: options that put distance between the nodes of a local cluster.
//
// Thread rule: free functions without state. Errors: a text that says what to write instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/cluster/distances.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

inline constexpr double most_one_way_ms = 1000;

// These are the options as they were written.
struct DistanceTexts {
  std::string link_ms = "0";
  std::string zones;
  std::optional<double> master_ms;
  std::optional<double> worker_ms;
  double jitter_ms = 0;
  double loss_percent = 0;
};

void add_distance_options(CLI::App& command, DistanceTexts& texts);

// The distances at which everything runs one after the other. Returns what is wrong.
[[nodiscard]] std::string read_distances(const DistanceTexts& texts,
                                         std::vector<Distances>& distances);

// "a-b:35,a-c:80,b-c:60": one-way delays between each two zones. Nodes are placed in the order in
// which zones are named. "a-a:1" is inside a zone (0 by default).
[[nodiscard]] std::string read_zones(const std::string& text, Zones& zones);

}  // namespace fixkeep::client_sim
