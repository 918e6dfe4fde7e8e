#include "master/http/match/modes_page.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/wire/limits.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::ordered_json;

ordered_json attributes_of(const Mode& mode) {
  ordered_json all = ordered_json::array();
  for (const auto& name : mode.attributes) {
    const auto listed = mode.values.find(name);
    all.push_back({{"attribute", name},
                   {"values", listed == mode.values.end() ? ordered_json(nullptr)
                                                          : ordered_json(listed->second)}});
  }
  return all;
}

ordered_json bands_of(const Mode& mode) {
  ordered_json all = ordered_json::array();
  for (const auto& band : mode.bands) {
    all.push_back({{"attribute", band.attribute}, {"edges", band.edges}});
  }
  return all;
}

}  // namespace

std::string modes_json(const std::vector<Mode>& modes, std::chrono::milliseconds longest_wait) {
  ordered_json all = ordered_json::array();
  for (const Mode& mode : modes) {
    // A party is the player who asks and fewer than limits::party others.
    const auto together = std::min<std::size_t>(mode.capacity, wire::limits::party);
    all.push_back({{"mode", mode.name.text()},
                   {"capacity", mode.capacity},
                   {"players_most", together},
                   {"one_seat_per", mode.one_seat_per == SeatScope::mode ? "mode" : "group"},
                   {"attributes", attributes_of(mode)},
                   {"bands", bands_of(mode)}});
  }
  const ordered_json page{{"modes", std::move(all)}, {"wait_ms_most", longest_wait.count()}};
  return page.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace fixkeep::master
