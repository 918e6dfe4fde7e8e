#include "common/node/node_page.hpp"

#include <chrono>
#include <cstdint>

#include "common/config/listening.hpp"
#include "common/obs/version.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::node {

using config::Json;

net::HttpAnswer node_page(const NodeFacts& facts) {
  constexpr std::int64_t ms_per_s = 1000;
  Json masters = Json::array();
  for (const MasterLink& link : facts.masters) {
    masters.push_back({{"master", link.master}, {"up", link.up}, {"trouble", link.trouble}});
  }
  Json copies = Json::array();
  Json versions = Json::array();
  for (const auto& each : facts.refused) {
    Json shown{{"node", each.name}, {"host", each.host}, {"times", each.times}};
    if (each.version == 0) {
      copies.push_back(std::move(shown));
    } else {
      shown["speaks"] = each.version;
      versions.push_back(std::move(shown));
    }
  }
  Json certificates = Json::array();
  if (facts.links.certificate_expires_s != 0) {
    certificates.push_back(
        {{"of", "links"}, {"ends_ms", facts.links.certificate_expires_s * ms_per_s}});
  }
  for (const ListenerFacts& listener : facts.listeners) {
    if (!listener.certificate_expires_at) continue;
    const std::int64_t ends_s = listener.certificate_expires_at->time_since_epoch().count();
    certificates.push_back({{"of", listener.listener}, {"ends_ms", ends_s * ms_per_s}});
  }
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const Json known{
      {"node", facts.node},
      {"role", facts.role},
      {"cluster", facts.cluster},
      {"version", obs::version()},
      {"speaks", wire::limits::protocol_version},
      {"at_ms", std::int64_t{now.time_since_epoch().count()}},
      {"masters", std::move(masters)},
      {"refused_copies", std::move(copies)},
      {"refused_versions", std::move(versions)},
      {"certificates", std::move(certificates)},
      {"ports_given_to_connections", config::keys_of_ports_given_to_connections(
                                         Json::parse(facts.configuration, nullptr, false))}};
  std::string text = known.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.back() = ',';
  if (!facts.journal_is_whole) text += R"("journal_is_whole":false,)";
  if (!facts.next_modes.empty()) text += R"("next_modes":)" + facts.next_modes + ',';
  return {.body = text + R"("configuration":)" + facts.configuration + "}"};
}

std::string without_what_games_keep(Json configuration) {
  if (const auto games = configuration.find("games"); games != configuration.end()) {
    for (Json& game : *games) {
      for (const char* key : {"environment", "files"}) {
        if (!game.contains(key)) continue;
        for (Json& value : game[key]) value = "(not shown)";
      }
    }
  }
  return configuration.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fixkeep::node
