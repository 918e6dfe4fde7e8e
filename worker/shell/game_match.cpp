#include "worker/shell/game_match.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace fixkeep::worker {
namespace {

using Json = nlohmann::ordered_json;

Json object_of(const std::string& text) {
  auto object = Json::parse(text, nullptr, false);
  return object.is_object() ? std::move(object) : Json::object();
}

Json teams_of(const wire::MatchFacts& match) {
  Json teams = Json::array();
  for (const wire::MatchPlayer& player : match.players) {
    auto team =
        std::ranges::find_if(teams, [&](const Json& each) { return each["name"] == player.team; });
    if (team == teams.end()) {
      teams.push_back({{"name", player.team}, {"players", Json::array()}});
      team = std::prev(teams.end());
    }
    Json told{{"player_id", player.player.text()}};
    if (!player.attributes.empty()) told["attributes"] = object_of(player.attributes);
    (*team)["players"].push_back(std::move(told));
  }
  return teams;
}

Json attribute_of(const Json& value) {
  const auto typed = [](const char* type, const Json& told) {
    return Json{{"attributeType", type}, {"valueAttribute", told}};
  };
  const auto is_text = [](const Json& each) { return each.is_string(); };
  const auto is_number = [](const Json& each) { return each.is_number(); };
  if (value.is_number()) return typed("DOUBLE", value.get<double>());
  if (value.is_array() && std::ranges::all_of(value, is_text)) return typed("STRING_LIST", value);
  if (value.is_object() && std::ranges::all_of(value, is_number)) {
    return typed("STRING_DOUBLE_MAP", value.get<std::map<std::string, double>>());
  }
  return typed("STRING", value.is_string() ? value : Json(value.dump()));
}

}  // namespace

std::string matchmaker_data(const GroupKey& group, const wire::MatchFacts& match,
                            const RoomId& room, const ModeName& mode) {
  Json told{{"matchId", wire::is_match(group) ? wire::match_id_of(group) : to_string(room)},
            {"matchmakingConfigurationArn",
             "arn:fixkeep:gamelift:::matchmakingconfiguration/" + mode.text()},
            {"teams", Json::array()},
            {"autoBackfillMode", nullptr},
            {"autoBackfillTicketId", nullptr}};
  for (const Json& team : teams_of(match)) {
    Json players = Json::array();
    for (const Json& player : team["players"]) {
      Json attributes = player.value("attributes", Json::object());
      for (Json& each : attributes) each = attribute_of(each);
      players.push_back({{"playerId", player["player_id"]}, {"attributes", std::move(attributes)}});
    }
    told["teams"].push_back({{"name", team["name"]}, {"players", std::move(players)}});
  }
  return told.dump();
}

std::map<std::string, std::string> annotations_of(const GroupKey& group,
                                                  const wire::MatchFacts& match) {
  std::map<std::string, std::string> told{{"fixkeep/teams", teams_of(match).dump()}};
  if (wire::is_match(group)) told["fixkeep/match-id"] = wire::match_id_of(group);
  if (!match.metadata.empty()) told["fixkeep/metadata"] = match.metadata;
  return told;
}

void add_match(const GroupKey& group, const wire::MatchFacts& match, Launch& launch) {
  const bool has_id = wire::is_match(group);
  const std::string id = wire::match_id_of(group);
  if (has_id) launch.game.environment.push_back("FIXKEEP_MATCH_ID=" + id);
  auto& files = launch.game.files;
  const bool has_own =
      std::ranges::any_of(files, [](const GameFile& file) { return file.path == match_file; });
  if (has_own) return;
  Json told;
  if (has_id) told["match_id"] = id;
  told["teams"] = teams_of(match);
  if (!match.metadata.empty()) told["metadata"] = object_of(match.metadata);
  files.push_back({match_file, told.dump() + '\n'});
}

}  // namespace fixkeep::worker
