#include "master/http/matches/body.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;

const std::vector<Mode>& modes() {
  static const std::vector<Mode> all{
      {.name = ModeName{"duel"}, .capacity = 3, .attributes = {"region"}},
      {.name = ModeName{"arena"}, .capacity = 300}};
  return all;
}

std::variant<MatchOrder, MatchProblem> read(std::string_view body) {
  return parse_match_order(body, modes(), milliseconds{20'000});
}

wire::MatchFacts facts_of(std::string_view body) {
  auto parsed = read(body);
  const auto* order = std::get_if<MatchOrder>(&parsed);
  EXPECT_NE(order, nullptr) << std::get<MatchProblem>(parsed).detail;
  return order == nullptr ? wire::MatchFacts{} : order->facts;
}

std::string problem_of(std::string_view body) {
  const auto parsed = read(body);
  const auto* problem = std::get_if<MatchProblem>(&parsed);
  return problem == nullptr ? "none" : std::string{problem->type} + ": " + problem->detail;
}

constexpr std::string_view teams =
    R"({"mode":"duel","attributes":{"region":"eu"},"teams":[)"
    R"({"name":"red","players":[{"player_id":"ann","attributes":{"hero":"archer"}}]},)"
    R"({"name":"blue","players":[{"player_id":"bob"}]}],"metadata":{"map":"harbour"},"wait_ms":0})";

TEST(MatchOrderBody, has_players_with_their_teams) {
  const auto parsed = read(teams);
  const auto& order = std::get<MatchOrder>(parsed);
  EXPECT_EQ(order.wait, milliseconds{0});
  EXPECT_EQ(order.facts.told.text(), "duel/region=eu");
  const std::vector<wire::MatchPlayer> players{{PlayerId{"ann"}, "red", R"({"hero":"archer"})"},
                                               {PlayerId{"bob"}, "blue", ""}};
  EXPECT_EQ(order.facts.players, players);
  EXPECT_EQ(order.facts.metadata, R"({"map":"harbour"})");
}

TEST(MatchOrderBody, is_the_same_in_any_notation_and_with_any_wait) {
  const auto one = facts_of(teams);
  const auto other = facts_of(
      R"( {"wait_ms": 5000, "metadata": {"map": "harbour"}, "teams": [ {"players": [ {"attributes":
      {"hero":"archer"}, "player_id":"\u0061nn"} ], "name":"red"}, {"name":"blue","players":[
      {"player_id":"bob"}]} ], "mode":"duel", "attributes":{"region":"eu"}} )");
  EXPECT_TRUE(one.same_body(other));
  EXPECT_EQ(differences(one, other), "");
}

TEST(MatchOrderBody, is_no_deeper_than_its_writer_can_write) {
  const std::string deep = std::string(30'000, '[') + std::string(30'000, ']');
  for (const std::string& body :
       {R"({"mode":"arena","players":[{"player_id":"ann"}],"metadata":{"a":)" + deep + "}}",
        R"({"mode":"arena","players":[{"player_id":"ann","attributes":{"a":)" + deep + "}}]}",
        R"({"mode":"arena","players":)" + deep + "}"}) {
    EXPECT_EQ(problem_of(body), "invalid-request: the body must have at most 32 levels");
  }
  const std::string fine = std::string(30, '[') + std::string(30, ']');
  EXPECT_EQ(problem_of(R"({"mode":"arena","players":[{"player_id":"ann"}],"metadata":{"a":)" +
                       fine + "}}"),
            "none");
}

TEST(MatchOrderBody, that_differs_is_named_by_its_members) {
  const auto one = facts_of(teams);
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string body{teams};
    body.replace(body.find(from), from.size(), to);
    return differences(one, facts_of(body));
  };
  EXPECT_EQ(with("\"eu\"", "\"us\""), "attributes");
  EXPECT_EQ(with("harbour", "desert"), "metadata");
  EXPECT_EQ(with("archer", "mage"), "teams or players");
  EXPECT_EQ(with("\"mode\":\"duel\"", "\"mode\":\"arena\""), "mode");
}

TEST(MatchOrderBody, that_is_wrong_is_refused_with_every_field_to_change) {
  EXPECT_EQ(problem_of("{"),
            R"(invalid-json: send one JSON object like {"mode":"duel","players":[…]})");
  EXPECT_EQ(problem_of("[]"), "invalid-request: the body must be a JSON object");
  EXPECT_EQ(problem_of(R"({"mode":"race","players":[{"player_id":"a"}]})"),
            "unknown-mode: mode must be one of: duel, arena");
  EXPECT_EQ(problem_of(R"({"mode":"duel","players":[{"player_id":"a"}],"party":[],"wait_ms":-1})"),
            "invalid-request: party is not a field of this request; wait_ms must be a whole number "
            "from 0 to 20000; attributes.region is required by mode duel");
  EXPECT_EQ(problem_of(R"({"mode":"arena"})"), "invalid-request: teams or players is required");
  EXPECT_EQ(problem_of(R"({"mode":"arena","teams":[],"players":[]})"),
            "invalid-request: teams and players are both there: send one of them");
  const std::string id = "must be a text of 1 to 128 bytes without control characters";
  EXPECT_EQ(problem_of(R"({"mode":5,"players":[{"player_id":"a"}]})"),
            "invalid-request: mode " + id);
  EXPECT_EQ(problem_of(R"({"mode":"arena","teams":[{"name":"a","players":[{"player_id":7}]}]})"),
            "invalid-request: teams[0].players[0].player_id " + id);
  EXPECT_EQ(problem_of(R"({"mode":"arena","teams":[{"players":[]},{"name":"b","players":[]}]})"),
            "invalid-request: teams[0].name " + id +
                "; teams[1].players must be a list of one or more players");
  EXPECT_EQ(problem_of(R"({"mode":"arena","players":[{"player_id":"a"},{"player_id":"a"}]})"),
            "invalid-request: players[1].player_id must name every player once");
  EXPECT_EQ(problem_of(R"({"mode":"arena","players":[{"player_id":"a","team":"b"}]})"),
            "invalid-request: players[0].team is not a field of this request");
  EXPECT_EQ(problem_of(R"({"mode":"duel","attributes":{"region":"eu"},"players":[
            {"player_id":"a"},{"player_id":"b"},{"player_id":"c"},{"player_id":"d"}]})"),
            "invalid-request: players must have at most 3 players together: a room of the mode has "
            "no more seats");
  EXPECT_EQ(problem_of(R"({"mode":"arena","players":[{"player_id":"a"}],"metadata":")" +
                       std::string(5'000, 'x') + "\"}"),
            "invalid-request: metadata must be an object of at most 4096 bytes");
}

TEST(MatchOrderBody, may_have_hundreds_of_players) {
  std::string body = R"({"mode":"arena","players":[)";
  for (int i = 0; i < 300; ++i) {
    body += (i == 0 ? "{\"player_id\":\"p" : ",{\"player_id\":\"p") + std::to_string(i) + "\"}";
  }
  EXPECT_EQ(facts_of(body + "]}").players.size(), 300U);
}

TEST(JoiningPlayers, name_their_teams) {
  const auto parsed = parse_joining_players(R"({"players":[{"player_id":"eve","team":"red"}]})",
                                            milliseconds{20'000});
  const auto& facts = std::get<MatchOrder>(parsed).facts;
  EXPECT_TRUE(facts.joins);
  EXPECT_EQ(facts.players.front().team, "red");
  const auto wrong = parse_joining_players(R"({"players":[],"mode":"x"})", milliseconds{20'000});
  EXPECT_EQ(std::get<MatchProblem>(wrong).detail,
            "mode is not a field of this request; players must be a list of one or more players");
}

TEST(MatchId, is_any_short_printable_text_of_one_segment) {
  EXPECT_EQ(match_id_in("a%2Fb%20c"), "a/b c");
  for (const auto* wrong : {"", "a/b", "a%0Ab", "%zz"}) EXPECT_FALSE(match_id_in(wrong)) << wrong;
  EXPECT_FALSE(match_id_in(std::string(129, 'x')));
  EXPECT_TRUE(match_id_in(std::string(128, 'x')));
  const auto group = wire::match_group_of("a/b c");
  EXPECT_EQ(group.text(), "/match/a%2Fb%20c");
  EXPECT_EQ(wire::match_id_of(group), "a/b c");
}

}  // namespace
}  // namespace fixkeep::master
