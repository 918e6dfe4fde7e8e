// The load of one run, fixed completely before the start: each player's arrival, group, master and
// stay.
//
// The seed decides all random values, so two strategies get exactly the same load. Group sizes come
// from the weights alone (largest remainder). Therefore the ideal number of rooms is the same for
// every seed. The seed decides the order of the players. Thread rule: free functions without state.
// Bounds: the limits below.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixkeep::client_sim {

enum class Arrival : std::uint8_t {
  burst,    // all players together
  poisson,  // independent players, `rate` a second; no player leaves
  churn,    // like poisson, but each player leaves after an exponentially distributed time
};

[[nodiscard]] std::string_view to_string(Arrival arrival);

struct WorkloadOptions {
  std::size_t players = 256;
  std::size_t groups = 4;
  std::size_t masters = 3;
  Arrival arrival = Arrival::burst;
  double zipf = 0;                       // group k has weight 1 / k^zipf; 0 is uniform
  double rate = 100;                     // players a second, for poisson and churn
  std::chrono::milliseconds stay{5000};  // mean, for churn
  std::uint64_t seed = 1;
  std::string player_prefix = "p";  // a player id is this prefix and a number
};

inline constexpr std::size_t most_players = 100'000;
inline constexpr std::size_t most_groups = 10'000;

// The attributes of a request that are whole numbers: name and value.
using Attributes = std::vector<std::pair<std::string, std::int64_t>>;

struct PlannedPlayer {
  std::string id;
  std::size_t group = 0;
  std::size_t master = 0;             // the master that is asked first
  std::chrono::microseconds at{0};    // time after the start of the run
  std::chrono::microseconds stay{0};  // zero: until the end of the run
  std::vector<std::string> party;     // companions; the party gets one room or no seat
  Attributes attributes;  // attributes in addition to the attributes that every player has
};

// Players in the order of arrival.
using Workload = std::vector<PlannedPlayer>;

// REQUIRES: players, groups, masters > 0; rate > 0 unless burst.
[[nodiscard]] Workload make_workload(const WorkloadOptions& options);

// Divides `players` among the groups. The sum of the sizes is `players`.
[[nodiscard]] std::vector<std::size_t> group_sizes(std::size_t players, std::size_t groups,
                                                   double zipf);

// Returns "g3": the value of the attribute that makes the group.
[[nodiscard]] std::string group_name(std::size_t group);

}  // namespace fixkeep::client_sim
