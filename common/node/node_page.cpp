#include "common/node/node_page.hpp"

#include <chrono>
#include <cstdint>

#include "common/obs/version.hpp"

namespace fixkeep::node {

using config::Json;

net::HttpAnswer node_page(const NodeFacts& facts) {
  constexpr std::int64_t ms_per_s = 1000;
  Json masters = Json::array();
  for (const MasterLink& link : facts.masters) {
    masters.push_back({{"master", link.master}, {"up", link.up}, {"trouble", link.trouble}});
  }
  Json copies = Json::array();
  for (const auto& copy : facts.copies) {
    copies.push_back({{"node", copy.name}, {"host", copy.host}, {"times", copy.times}});
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
  const Json known{{"node", facts.node},
                   {"role", facts.role},
                   {"cluster", facts.cluster},
                   {"version", obs::version()},
                   {"at_ms", std::int64_t{now.time_since_epoch().count()}},
                   {"masters", std::move(masters)},
                   {"refused_copies", std::move(copies)},
                   {"certificates", std::move(certificates)}};
  std::string text = known.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.back() = ',';
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
