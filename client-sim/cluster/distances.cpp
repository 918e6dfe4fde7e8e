#include "client-sim/cluster/distances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/base/time_limits.hpp"

namespace fixkeep::client_sim {

double one_way_ms(const Distances& distances, LinkKind kind, std::size_t from, std::size_t to) {
  const auto& instead =
      kind == LinkKind::between_masters ? distances.master_ms : distances.worker_ms;
  if (instead) return *instead;
  const auto& zones = distances.zones.one_way_ms;
  if (zones.empty()) return distances.link_ms;
  return zones[from % zones.size()][to % zones.size()];
}

double longest_one_way_ms(const Distances& distances) {
  double usual = distances.link_ms;
  for (const auto& row : distances.zones.one_way_ms) {
    for (const double ms : row) usual = std::max(usual, ms);
  }
  return std::max(distances.master_ms.value_or(usual), distances.worker_ms.value_or(usual));
}

namespace {

constexpr double busy_machine_ms = 10;

double round_trip_ms(const Distances& distances) {
  return 2 * (longest_one_way_ms(distances) + distances.jitter_ms);
}

// Returns the extra delay of a segment that is lost three times. Each wait for a retransmission is
// twice as long as the wait before it: see lab/relay/core/schedule.hpp.
double lost_ms(const Distances& distances) {
  if (distances.loss_percent <= 0) return 0;
  return (1 + 2 + 4) * std::max(200.0, round_trip_ms(distances));
}

}  // namespace

std::chrono::microseconds longest_news(const Distances& distances) {
  double ms = busy_machine_ms;
  if (longest_one_way_ms(distances) > 0) ms += round_trip_ms(distances) / 2 + lost_ms(distances);
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::duration<double, std::milli>{ms});
}

std::uint32_t slowest_round_trip_ms(const Distances& distances) {
  if (longest_one_way_ms(distances) <= 0) return 0;
  return static_cast<std::uint32_t>(
      std::ceil(round_trip_ms(distances) + lost_ms(distances) / time_limits::round_trips));
}

std::uint32_t longer_answers_ms(const Distances& distances) {
  return time_limits::round_trips * slowest_round_trip_ms(distances);
}

std::string label(const Distances& distances) {
  if (distances.master_ms && distances.worker_ms) {
    return fmt::format("{} and {} ms", *distances.master_ms, *distances.worker_ms);
  }
  if (!distances.zones.text.empty()) return "zones";
  return fmt::format("{} ms", distances.link_ms);
}

std::string zone_name(const Distances& distances, std::size_t node) {
  const auto& names = distances.zones.names;
  if (names.empty()) return node % 2 == 0 ? "a" : "c";
  return names[node % names.size()];
}

}  // namespace fixkeep::client_sim
