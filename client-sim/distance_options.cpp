#include "client-sim/distance_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t most_zones = 9;
constexpr const char* zones_example = "write for example a-b:35,a-c:80,b-c:60";

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(',');
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<double> read_ms(std::string_view text) {
  double ms = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  if (!(ms >= 0 && ms <= most_one_way_ms)) return {};
  return ms;
}

// Returns true if a configuration accepts `name` as a zone. "-" is not allowed, because it
// separates two zones.
bool is_zone(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= 32 && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || c == '.' || c == '_'; });
}

// Returns the index of the name in `names`. A new name is added.
std::size_t place_of(std::string_view name, std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  const auto place = static_cast<std::size_t>(found - names.begin());
  if (found == names.end()) names.emplace_back(name);
  return place;
}

// Reports the first missing pair.
std::string missing_pair(const Zones& zones,
                         const std::map<std::pair<std::size_t, std::size_t>, double>& given) {
  for (std::size_t one = 0; one < zones.names.size(); ++one) {
    for (std::size_t other = one + 1; other < zones.names.size(); ++other) {
      if (given.contains({one, other})) continue;
      const auto pair = zones.names[one] + "-" + zones.names[other];
      return fmt::format("--zones: nothing is said of {0}; add {0}:MS", pair);
    }
  }
  return {};
}

}  // namespace

void add_distance_options(CLI::App& command, DistanceTexts& texts) {
  constexpr const char* group = "Distance (delays of one way)";
  const CLI::Range delay{0.0, most_one_way_ms};
  command
      .add_option("--link-delay-ms", texts.link_ms,
                  "Between any two nodes or lock servers; 0,20,80 runs at each of them")
      ->group(group);
  command
      .add_option("--zones", texts.zones,
                  "Instead, by pair of zones: a-b:35,a-c:80,b-c:60; a-a:1 is the delay inside one "
                  "(else 0). Nodes join zones in turn")
      ->group(group);
  command.add_option("--master-delay-ms", texts.master_ms, "Instead, between masters")
      ->check(delay)
      ->group(group);
  command.add_option("--worker-delay-ms", texts.worker_ms, "Instead, between workers and masters")
      ->check(delay)
      ->group(group);
  command
      .add_option("--jitter-ms", texts.jitter_ms,
                  "Largest difference of a delay, up or down; bytes never overtake")
      ->check(delay)
      ->group(group);
  command
      .add_option("--loss-percent", texts.loss_percent,
                  "Lost segments; TCP hides them, but stops for 200 ms or a round trip")
      ->check(CLI::Range(0.0, 50.0))
      ->group(group);
}

std::string read_zones(const std::string& text, Zones& zones) {
  std::map<std::pair<std::size_t, std::size_t>, double> given;
  zones = {.text = text, .names = {}, .one_way_ms = {}};
  for (const auto part : parts_of(text)) {
    const auto dash = part.find('-');
    const auto colon = part.find(':');
    if (dash == std::string_view::npos || colon == std::string_view::npos || colon < dash) {
      return fmt::format("--zones: \"{}\" is not ZONE-ZONE:MS; {}", part, zones_example);
    }
    const auto one = part.substr(0, dash);
    const auto other = part.substr(dash + 1, colon - dash - 1);
    for (const auto name : {one, other}) {
      if (is_zone(name)) continue;
      return fmt::format("--zones: \"{}\" is no name of letters, digits, \".\" and \"_\"; {}", name,
                         zones_example);
    }
    const auto ms = read_ms(part.substr(colon + 1));
    if (!ms) {
      return fmt::format("--zones: \"{}\" in {} is no number of milliseconds from 0 to {}; {}",
                         part.substr(colon + 1), part, most_one_way_ms, zones_example);
    }
    const auto first = place_of(one, zones.names);
    const auto second = place_of(other, zones.names);
    if (!given.emplace(std::minmax(first, second), *ms).second) {
      return fmt::format("--zones: {}-{} is given twice", one, other);
    }
  }
  const auto count = zones.names.size();
  if (count > most_zones)
    return fmt::format("--zones: at most {}, these are {}", most_zones, count);
  if (auto missing = missing_pair(zones, given); !missing.empty()) return missing;
  zones.one_way_ms.assign(count, std::vector<double>(count, 0));
  for (const auto& [pair, ms] : given) {
    zones.one_way_ms[pair.first][pair.second] = zones.one_way_ms[pair.second][pair.first] = ms;
  }
  return {};
}

std::string read_distances(const DistanceTexts& texts, std::vector<Distances>& distances) {
  Distances common{.zones = {},
                   .master_ms = texts.master_ms,
                   .worker_ms = texts.worker_ms,
                   .jitter_ms = texts.jitter_ms,
                   .loss_percent = texts.loss_percent};
  if (!texts.zones.empty()) {
    if (auto mistake = read_zones(texts.zones, common.zones); !mistake.empty()) return mistake;
  }
  distances.clear();
  for (const auto part : parts_of(texts.link_ms)) {
    const auto ms = read_ms(part);
    if (!ms) {
      return fmt::format(
          "--link-delay-ms: \"{}\" is no number of milliseconds from 0 to {}; write for example "
          "0,20,80",
          part, most_one_way_ms);
    }
    common.link_ms = *ms;
    if (std::find(distances.begin(), distances.end(), common) != distances.end()) {
      return fmt::format("--link-delay-ms: {} is given twice", part);
    }
    distances.push_back(common);
  }
  const bool dialled = distances.size() > 1 || distances.front().link_ms > 0;
  if (dialled && !texts.zones.empty()) {
    return "--link-delay-ms and --zones both say how far apart nodes are: give one of them";
  }
  if (dialled && texts.master_ms && texts.worker_ms) {
    return "--link-delay-ms: nothing is left of it beside --master-delay-ms and --worker-delay-ms";
  }
  const auto longest = std::max_element(
      distances.begin(), distances.end(),
      [](const Distances& one, const Distances& other) { return one.link_ms < other.link_ms; });
  if ((texts.jitter_ms > 0 || texts.loss_percent > 0) && longest_one_way_ms(*longest) <= 0) {
    return fmt::format("{} needs a distance, for example --link-delay-ms 20",
                       texts.jitter_ms > 0 ? "--jitter-ms" : "--loss-percent");
  }
  return {};
}

}  // namespace fixkeep::client_sim
