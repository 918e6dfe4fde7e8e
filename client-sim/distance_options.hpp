// Options for the distance between the nodes of a local cluster.
//
// Thread rule: free functions without state. Errors: a text with the correction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client-sim/cluster/distances.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

inline constexpr double most_one_way_ms = 1000;

// The options as written by the user.
struct DistanceTexts {
  std::string link_ms = "0";
  std::string zones;
  std::optional<double> master_ms;
  std::optional<double> worker_ms;
  double jitter_ms = 0;
  double loss_percent = 0;
};

void add_distance_options(CLI::App& command, DistanceTexts& texts);

// Reads the distances into `distances`. A comparison makes all its runs for each distance. Returns
// the mistake, if any.
[[nodiscard]] std::string read_distances(const DistanceTexts& texts,
                                         std::vector<Distances>& distances);

// Reads "a-b:35,a-c:80,b-c:60": the one-way delay between the zones of each pair. Nodes are placed
// in the zones in the order of their first mention. "a-a:1" is the delay inside zone a (0 by
// default).
[[nodiscard]] std::string read_zones(const std::string& text, Zones& zones);

}  // namespace fixkeep::client_sim
