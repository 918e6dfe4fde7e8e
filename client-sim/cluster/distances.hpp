// Distances are the one-way delays in milliseconds between the nodes of a local cluster.
//
// Every node is in a zone: node k of its kind is in zone k (modulo the number of zones). There is a
// delay between two masters, and between a worker and a master. Lock server k of an engine counts
// as master k. If there are zones, the delay comes from their matrix. Thread rule: values and free
// functions. Errors: none.
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
  double link_ms = 0;               // delay between all nodes
  Zones zones;                      // replaces link_ms if there are zones
  std::optional<double> master_ms;  // between masters: replaces link_ms and zones
  std::optional<double> worker_ms;  // between workers and masters: replaces link_ms and zones
  double jitter_ms = 0;             // largest random change of each delay above 0 (uniform)
  double loss_percent = 0;          // lost segments on each link with a delay above 0

  friend bool operator==(const Distances&, const Distances&) = default;
};

[[nodiscard]] double one_way_ms(const Distances& distances, LinkKind kind, std::size_t from,
                                std::size_t to);

// Returns the longest delay of all possible links.
[[nodiscard]] double longest_one_way_ms(const Distances& distances);

// Returns the longest time that a node's report needs to reach another node, even on a busy
// machine.
[[nodiscard]] std::chrono::microseconds longest_news(const Distances& distances);

// Returns the value of network.round_trip_ms for the nodes: the longest round trip. If segments can
// be lost, the value is higher: nodes wait for time_limits::round_trips such round trips, and this
// wait must be long enough for a segment that is lost three times.
[[nodiscard]] std::uint32_t slowest_round_trip_ms(const Distances& distances);

// Returns the extra time that an answer may need because of distance, with a reserve.
[[nodiscard]] std::uint32_t longer_answers_ms(const Distances& distances);

// Returns the name of the distances: "20 ms" or "zones"; or "10 and 1 ms" if masters and workers
// each have their own delay.
[[nodiscard]] std::string label(const Distances& distances);

// Returns the zone of the node. If no zones are given, the nodes are in the zones "a" and "c" in
// turn: with only one zone, the spread of rooms would not be visible.
[[nodiscard]] std::string zone_name(const Distances& distances, std::size_t node);

}  // namespace fixkeep::client_sim
