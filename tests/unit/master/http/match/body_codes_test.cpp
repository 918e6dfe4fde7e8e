// Match requests that ask for the rooms of others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "master/http/match/body.hpp"

namespace fixkeep::master {
namespace {

const std::vector<Mode> modes_to_join{{.name = ModeName{"rally"},
                                       .capacity = 4,
                                       .attributes = {"region"},
                                       .bands = {{"skill", {1000}}},
                                       .join = {.code = true, .room_id = true}},
                                      {.name = ModeName{"plain"}, .capacity = 2}};

std::variant<MatchBody, MatchProblem> read(const std::string& text) {
  return parse_match_body(text, modes_to_join, std::chrono::milliseconds{1});
}
std::string rally_with(const std::string& members) {
  return R"({"player_id":"ann","mode":"rally","attributes":{"region":"eu"},)" + members + '}';
}
std::string problem_of(const std::string& text) {
  const auto parsed = read(text);
  const auto* problem = std::get_if<MatchProblem>(&parsed);
  return problem == nullptr ? "none" : std::string{problem->type} + ": " + problem->detail;
}

// Friends play together by a code although they are not equally good.
TEST(MatchBodies, with_a_code_name_the_group_without_bands) {
  for (const std::string member : {"create", "code"}) {
    const auto parsed = read(rally_with('"' + member + R"(":"x")"));
    ASSERT_TRUE(std::holds_alternative<MatchBody>(parsed));
    const auto& body = std::get<MatchBody>(parsed);
    EXPECT_EQ(body.group, GroupKey{"rally/region=eu"});
    EXPECT_TRUE(body.has_code());
    EXPECT_EQ(member == "create" ? body.create : body.code, "x");
  }
}

TEST(MatchProblems, name_a_code_that_is_not_to_be_had) {
  for (const std::string member : {"create", "code"}) {
    EXPECT_EQ(problem_of(R"({"player_id":"ann","mode":"plain",")" + member + R"(":"x"})"),
              "invalid-request: " + member +
                  " is not for this mode: its rooms have no codes, as GET /v1/modes says");
  }
  EXPECT_EQ(problem_of(rally_with(R"("create":"x","code":"y")")),
            "invalid-request: code must not stand beside create: a code is made, or it is shown");
  for (const auto* wrong : {"7", R"("")", "[]", "null", R"("a\nb")"}) {
    EXPECT_EQ(problem_of(rally_with(fmt::format(R"("code":{})", wrong))),
              "invalid-request: code must be a text of 1 to 128 bytes without control characters")
        << wrong;
  }
}

TEST(MatchBodies, refuse_running_rooms_with_backfill) {
  const auto refuses = [](const std::string& text) {
    const auto parsed = read(text);
    return std::get<MatchBody>(parsed).claim.no_backfill;
  };
  EXPECT_TRUE(refuses(R"({"player_id":"ann","mode":"plain","backfill":false})"));
  EXPECT_FALSE(refuses(R"({"player_id":"ann","mode":"plain","backfill":true})"));
  EXPECT_FALSE(refuses(R"({"player_id":"ann","mode":"plain"})"));
  EXPECT_EQ(problem_of(R"({"player_id":"ann","mode":"plain","backfill":"no"})"),
            "invalid-request: backfill must be true or false");
  EXPECT_EQ(problem_of(rally_with(R"("backfill":false,"room_id":"w1-5f3a9c0211d2e4b7-12")")),
            "invalid-request: backfill must not be false beside room_id");
}

TEST(MatchBodies, that_name_a_room_name_the_group_without_bands) {
  const auto parsed = read(rally_with(R"("room_id":"w1-5f3a9c0211d2e4b7-12")"));
  ASSERT_TRUE(std::holds_alternative<MatchBody>(parsed));
  const auto& body = std::get<MatchBody>(parsed);
  EXPECT_EQ(body.room, parse_room_id("w1-5f3a9c0211d2e4b7-12"));
  EXPECT_EQ(body.group, GroupKey{"rally/region=eu"});
  EXPECT_FALSE(body.has_code());
}

TEST(MatchProblems, name_a_room_that_is_not_to_be_had) {
  const std::string room = R"("room_id":"w1-5f3a9c0211d2e4b7-12")";
  EXPECT_EQ(problem_of(R"({"player_id":"ann","mode":"plain",)" + room + '}'),
            "invalid-request: room_id is not for this mode, as GET /v1/modes says");
  EXPECT_EQ(problem_of(rally_with(room + R"(,"code":"x")")),
            "invalid-request: room_id must not stand beside create or code");
  EXPECT_EQ(problem_of(rally_with(R"("room_id":"w1")")),
            "invalid-request: room_id must be the room_id of an answer");
}

}  // namespace
}  // namespace fixkeep::master
