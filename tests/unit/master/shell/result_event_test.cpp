// What the webhook gets of a result, and how a match shows it.
#include "master/shell/result_event.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/wire/match.hpp"
#include "master/http/matches/answers.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;

ResultHeard heard(GroupKey group, std::string value) {
  return {.room = {WorkerId{"w1"}, Incarnation{1}, RoomNumber{7}},
          .result = {.room = RoomNumber{7},
                     .group = std::move(group),
                     .creation = {{7, MasterId{2}}, 0, Incarnation{3}},
                     .value = std::move(value)}};
}

TEST(ResultEvent, names_the_room_and_its_match) {
  const auto event = heard(wire::match_group_of("final"), R"({"winner":"red"})");
  EXPECT_EQ(json::parse(result_event(event)),
            (json{{"id", "room-result/w1-0000000000000001-7/7.m2.0.0000000000000003"},
                  {"event", "room-result"},
                  {"room_id", "w1-0000000000000001-7"},
                  {"group", "/match/final"},
                  {"match_id", "final"},
                  {"creation_id", "7.m2.0.0000000000000003"},
                  {"result", {{"winner", "red"}}}}));
  EXPECT_FALSE(json::parse(result_event(heard(GroupKey{"duel"}, "1"))).contains("match_id"));
}

TEST(ResultEvent, is_the_same_whenever_it_is_told) {
  const auto event = heard(GroupKey{"duel"}, "1");
  EXPECT_EQ(result_event(event), result_event(event));
}

TEST(ResultEvent, of_a_result_that_is_no_json_is_none) {
  EXPECT_EQ(result_event(heard(GroupKey{"duel"}, R"(1,"match_id":"final")")), "");
}

TEST(MatchEvent, says_how_an_order_for_the_room_of_a_match_has_ended) {
  OrderDone order{.worker = WorkerId{"w1"},
                  .group = wire::match_group_of("final"),
                  .creation = {{7, MasterId{2}}, 0, Incarnation{3}}};
  order.how = OrderDone::How::out_of_sight;
  EXPECT_EQ(match_event(order), "") << "the room may still open";
  order.how = OrderDone::How::opened;
  order.room = {WorkerId{"w1"}, Incarnation{1}, RoomNumber{7}};
  EXPECT_EQ(json::parse(match_event(order)),
            (json{{"id", "match-state/final/7.m2.0.0000000000000003/ready"},
                  {"event", "match-state"},
                  {"match_id", "final"},
                  {"state", "ready"},
                  {"creation_id", "7.m2.0.0000000000000003"},
                  {"room_id", "w1-0000000000000001-7"}}));
  order.how = OrderDone::How::failed;
  order.why = "boot-timeout";
  const json failed = json::parse(match_event(order));
  EXPECT_EQ(failed.at("id"), "match-state/final/7.m2.0.0000000000000003/failed");
  EXPECT_EQ(failed.at("reason"), "boot-timeout");
  order.group = wire::match_group_of("semifinal");
  EXPECT_NE(json::parse(match_event(order)).at("id"), failed.at("id"))
      << "the first orders of two matches have the same creation id";
  order.group = GroupKey{"duel"};
  EXPECT_EQ(match_event(order), "");
}

TEST(MatchEvent, says_that_a_match_has_ended_with_and_without_a_result) {
  const ResultHeard result = heard(wire::match_group_of("final"), R"({"winner":"red"})");
  MatchOver over{result.room, result.result};
  EXPECT_EQ(json::parse(match_event(over)),
            (json{{"id", "match-state/final/7.m2.0.0000000000000003/ended"},
                  {"event", "match-state"},
                  {"match_id", "final"},
                  {"state", "ended"},
                  {"creation_id", "7.m2.0.0000000000000003"},
                  {"room_id", "w1-0000000000000001-7"},
                  {"result", {{"winner", "red"}}}}));
  for (const char* value : {"", R"(1},"x":{)"}) {
    over.result.value = value;
    EXPECT_FALSE(json::parse(match_event(over)).contains("result")) << value;
  }
}

TEST(AnswersOfMatches, show_the_result_also_of_a_match_that_has_ended) {
  const wire::RoomResult result = heard(wire::match_group_of("final"), "[1]").result;
  const auto over = match_over(&result);
  EXPECT_EQ(over.status, 410U);
  EXPECT_EQ(json::parse(over.body).at("result"), json::parse("[1]"));
  EXPECT_FALSE(json::parse(match_over(nullptr).body).contains("result"));
  const auto empty = with_result(match_without_players("final", "duel"), &result);
  EXPECT_EQ(json::parse(empty.body).at("result"), json::parse("[1]"));
}

TEST(AnswersOfMatches, show_no_result_that_is_no_json) {
  const wire::RoomResult result = heard(GroupKey{"duel"}, R"(1},"x":{)").result;
  EXPECT_FALSE(json::parse(match_over(&result).body).contains("result"));
}

}  // namespace
}  // namespace fixkeep::master
