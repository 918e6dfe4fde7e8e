#include "master/http/match/modes_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/wire/limits.hpp"
#include "master/http/match/body.hpp"

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

std::vector<std::string> regions_of(const Mode& mode) {
  const bool any = mode.rules == nullptr || !mode.rules->latency;
  return any ? std::vector<std::string>{} : mode.rules->latency->regions;
}

ordered_json roles_of(const Mode& mode) {
  ordered_json all = ordered_json::array();
  if (mode.rules == nullptr) return all;
  for (const plan::Role& role : mode.rules->roles) {
    all.push_back({{"role", role.name}, {"players", role.seats}});
  }
  return all;
}

std::string dump_modes(const ordered_json& page) {
  return page.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string modes_json(const std::vector<Mode>& modes, std::chrono::milliseconds configured_wait) {
  ordered_json all = ordered_json::array();
  for (const Mode& mode : modes) {
    // The most players of one request, including the requesting player. At most limits::party.
    const std::size_t party = mode.rules ? mode.rules->party : mode.capacity;
    const auto together = std::min(party, wire::limits::party);
    all.push_back({{"mode", mode.name.text()},
                   {"capacity", mode.capacity},
                   {"players_most", together},
                   {"one_seat_per", mode.one_seat_per == SeatScope::mode ? "mode" : "group"},
                   {"attributes", attributes_of(mode)},
                   {"bands", bands_of(mode)},
                   {"numbers", mode.rules ? mode.rules->numbers : std::vector<std::string>{}},
                   {"regions", regions_of(mode)},
                   {"roles", roles_of(mode)},
                   {"avoid_most", mode.rules && mode.rules->avoid ? plan::avoided_most : 0},
                   {"join", names_of(mode.join)},
                   {"wait_ms_most", longest_wait_of(mode, configured_wait).count()}});
  }
  return dump_modes({{"modes", std::move(all)}, {"wait_ms_most", configured_wait.count()}});
}

sync::LockResult<std::string> modes_page(const std::string& modes, const DirectoryView& view) {
  const auto workers = view.workers();
  if (!workers) return workers.error();
  ordered_json pings = ordered_json::array();
  std::map<ZoneName, std::size_t> of_zone;
  for (const auto& seen : *workers) {
    const WorkerRow& worker = *seen.worker;
    if (worker.ping_port == 0 || of_zone[worker.zone]++ >= pings_of_zone) continue;
    pings.push_back(
        {{"zone", worker.zone.text()}, {"address", worker.address}, {"port", worker.ping_port}});
  }
  const auto begin = std::string_view{modes}.substr(0, modes.size() - 1);  // all but the last brace
  return fmt::format(R"({},"pings":{}}})", begin, dump_modes(pings));
}

}  // namespace fixkeep::master
