// Distances say how far apart the nodes of a local cluster are: one-way delays in milliseconds.
//
// Every node stands in a zone: node k of its kind in zone k (modulo their number). A delay is
// between two masters or between a worker and a master. Lock server k of an engine counts as master
// k. With zones it comes from their matrix. Thread rule: values and free functions. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixkeep::client_sim {

struct Zones {
  std::string text;  // text as given; empty: no zones
  std::vector<std::string> names;
  std::vector<std::vector<double>> one_way_ms;  // symmetric, [zone][zone]

  friend bool operator==(const Zones&, const Zones&) = default;
};

enum class LinkKind : std::uint8_t { between_masters, worker_to_master };

struct Distances {
  double link_ms = 0;               // delay between any two nodes
  Zones zones;                      // instead, where there are any
  std::optional<double> master_ms;  // instead of both, between masters
  std::optional<double> worker_ms;  // instead of both, between workers and masters
  double jitter_ms = 0;             // uniform deviation of each delay above 0, at most this much
  double loss_percent = 0;          // lost segments on each link with a delay above 0

  friend bool operator==(const Distances&, const Distances&) = default;
};

[[nodiscard]] double one_way_ms(const Distances& distances, LinkKind kind, std::size_t from,
                                std::size_t to);

// Returns the longest delay of all links that there may be.
[[nodiscard]] double longest_one_way_ms(const Distances& distances);

// A node's news may be under way to another one for this long even on a busy machine.
[[nodiscard]] std::chrono::microseconds longest_news(const Distances& distances);

// Returns the network.round_trip_ms of the nodes: the longest round trip. With loss it is raised:
// time_limits::round_trips of them outlast a segment that is lost three times.
[[nodiscard]] std::uint32_t slowest_round_trip_ms(const Distances& distances);

// An answer may take this much longer than without distance. It has some to spare.
[[nodiscard]] std::uint32_t longer_answers_ms(const Distances& distances);

// "20 ms" or "zones"; "10 and 1 ms" where masters and workers each have their own.
[[nodiscard]] std::string label(const Distances& distances);

// Without zones: a and c in turn. Two are the least in which spreading rooms can be seen.
[[nodiscard]] std::string zone_name(const Distances& distances, std::size_t node);

}  // namespace fixkeep::client_sim
