#include "client-sim/arrival_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace fixkeep::client_sim {

namespace {

constexpr std::array known_arrivals{Arrival::burst, Arrival::poisson, Arrival::churn};

}  // namespace

void add_arrival_options(CLI::App& command, ArrivalTexts& texts) {
  command.add_option("--arrival", texts.names,
                     "burst, poisson or churn (players leave again); burst,churn runs both");
  command
      .add_option("--duration-s", texts.duration_s,
                  "Length of the arrivals instead of --players (poisson and churn)")
      ->check(CLI::Range(0.1, 3600.0))
      ->default_str("");
  command.add_option("--churn-stay-ms", texts.churn_stay_ms, "Mean time in the room, for churn")
      ->check(CLI::Range(1, 3'600'000));
}

std::string read_arrivals(const ArrivalTexts& texts, std::vector<Arrival>& arrivals) {
  arrivals.clear();
  std::string_view rest = texts.names;
  for (bool more = true; more;) {
    const auto end = rest.find(',');
    const auto name = rest.substr(0, end);
    more = end != std::string_view::npos;
    if (more) rest.remove_prefix(end + 1);
    const auto* found = std::find_if(known_arrivals.begin(), known_arrivals.end(),
                                     [name](Arrival each) { return to_string(each) == name; });
    if (found == known_arrivals.end()) {
      return fmt::format(
          "--arrival: \"{}\" is not burst, poisson or churn; write for example burst,churn", name);
    }
    if (std::find(arrivals.begin(), arrivals.end(), *found) != arrivals.end()) {
      return fmt::format("--arrival: {} is given twice", name);
    }
    arrivals.push_back(*found);
  }
  const bool only_burst = arrivals == std::vector{Arrival::burst};
  if (texts.duration_s > 0 && only_burst) return "--duration-s needs --arrival poisson or churn";
  return {};
}

double players_of(const ArrivalTexts& texts, Arrival arrival, const WorkloadOptions& workload) {
  if (texts.duration_s <= 0 || arrival == Arrival::burst) {
    return static_cast<double>(texts.players.value_or(workload.players));
  }
  return std::max(1.0, std::round(workload.rate * texts.duration_s));
}

}  // namespace fixkeep::client_sim
