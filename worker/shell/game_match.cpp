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

}  // namespace

std::string teams_json(const wire::MatchFacts& match) {
  return teams_of(match).dump();
}

std::map<std::string, std::string> annotations_of(const ToldMatch& match) {
  std::map<std::string, std::string> told{{"fixkeep/match-id", match.id},
                                          {"fixkeep/teams", teams_json(match.facts)}};
  if (!match.facts.metadata.empty()) told["fixkeep/metadata"] = match.facts.metadata;
  return told;
}

void add_match(const ToldMatch& match, Launch& launch) {
  launch.game.environment.push_back("FIXKEEP_MATCH_ID=" + match.id);
  auto& files = launch.game.files;
  const bool has_own =
      std::ranges::any_of(files, [](const GameFile& file) { return file.path == match_file; });
  if (has_own) return;
  Json told{{"match_id", match.id}, {"teams", teams_of(match.facts)}};
  if (!match.facts.metadata.empty()) told["metadata"] = object_of(match.facts.metadata);
  files.push_back({match_file, told.dump() + '\n'});
}

}  // namespace fixkeep::worker
