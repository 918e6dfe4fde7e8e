// How a game learns its players and teams.
#include "worker/shell/game_match.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fixkeep::worker {
namespace {

using nlohmann::json;

const RoomId match_room{WorkerId{"w1"}, Incarnation{1}, RoomNumber{7}};
const GroupKey final_match = wire::match_group_of("final");

wire::MatchFacts match_of(std::vector<wire::MatchPlayer> players) {
  wire::MatchFacts match;
  match.players = std::move(players);
  return match;
}

json data_of(const GroupKey& group, std::vector<wire::MatchPlayer> players) {
  return json::parse(
      matchmaker_data(group, match_of(std::move(players)), match_room, ModeName{"duel"}));
}

TEST(MatchmakerData, has_the_teams_in_the_form_of_flexmatch) {
  EXPECT_EQ(data_of(final_match, {{PlayerId{"ann"}, "red", R"({"skill":1500})"},
                                  {PlayerId{"bob"}, "blue", ""},
                                  {PlayerId{"cid"}, "red", ""}}),
            json::parse(R"({
    "matchId": "final",
    "matchmakingConfigurationArn": "arn:fixkeep:gamelift:::matchmakingconfiguration/duel",
    "teams": [
      {"name": "red", "players": [
        {"playerId": "ann", "attributes": {
          "skill": {"attributeType": "DOUBLE", "valueAttribute": 1500.0}}},
        {"playerId": "cid", "attributes": {}}]},
      {"name": "blue", "players": [{"playerId": "bob", "attributes": {}}]}],
    "autoBackfillMode": null, "autoBackfillTicketId": null})"));
}

TEST(MatchmakerData, gives_each_attribute_one_of_the_four_types) {
  const json data = data_of(final_match, {{PlayerId{"ann"}, "", R"({
    "map": "harbour", "skill": 1500, "share": 0.5, "roles": ["healer", "fighter"], "none": [],
    "levels": {"bow": 3, "axe": 1.5}, "new": true, "mixed": ["a", 1], "deep": {"a": {"b": 1}}})"}});
  const json& told = data["teams"][0]["players"][0]["attributes"];
  const auto typed = [](const char* type, const json& value) {
    return json{{"attributeType", type}, {"valueAttribute", value}};
  };
  EXPECT_EQ(told, (json{{"map", typed("STRING", "harbour")},
                        {"skill", typed("DOUBLE", 1500.0)},
                        {"share", typed("DOUBLE", 0.5)},
                        {"roles", typed("STRING_LIST", {"healer", "fighter"})},
                        {"none", typed("STRING_LIST", json::array())},
                        {"levels", typed("STRING_DOUBLE_MAP", {{"bow", 3.0}, {"axe", 1.5}})},
                        {"new", typed("STRING", "true")},
                        {"mixed", typed("STRING", R"(["a",1])")},
                        {"deep", typed("STRING", R"({"a":{"b":1}})")}}));
  EXPECT_TRUE(told["skill"]["valueAttribute"].is_number_float());
}

TEST(MatchmakerData, of_players_that_rules_chose_has_the_name_of_the_room) {
  EXPECT_EQ(data_of(GroupKey{"duel/region=eu"}, {}).at("matchId"), to_string(match_room));
}

}  // namespace
}  // namespace fixkeep::worker
