#include "client-sim/load/api.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/base/base64.hpp"

namespace fixkeep::client_sim {
namespace {

TEST(MatchAnswer, is_read_whole) {
  const auto answer = parse_match_answer(
      R"({"ticket_id":"t","room_id":"w1-5-1","group":"duel/g0","address":"127.0.0.1","port":20001,)"
      R"("seat_token":"abc","expires_at":"2026-01-01T00:00:00Z"})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->room_id, "w1-5-1");
  EXPECT_EQ(answer->group, "duel/g0");
  EXPECT_EQ(answer->port, 20001);
  EXPECT_EQ(answer->seat_token, "abc");
  EXPECT_EQ(answer->expires_at, std::chrono::sys_days{std::chrono::year{2026} / 1 / 1});
}

TEST(MatchAnswer, has_the_tokens_of_a_party) {
  const std::string seat = R"("room_id":"r","address":"h","port":1,"seat_token":"abc")";
  const auto answer =
      parse_match_answer("{" + seat + R"(,"party":[{"player_id":"b","seat_token":"def"}]})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->party_tokens, std::vector<std::string>{"def"});
  EXPECT_FALSE(parse_match_answer("{" + seat + R"(,"party":[{"player_id":"b"}]})"));
}

TEST(Token, agrees_with_its_answer_only_in_player_room_and_team) {
  const auto agrees = [](const std::string& claims, const std::string& team) {
    std::string token;
    append_base64url(claims, token);
    MatchAnswer answer;
    answer.room_id = "r";
    answer.team = team;
    return token_agrees(answer, token + ".signature", "ann");
  };
  EXPECT_TRUE(agrees("1\n9\nr\nann", ""));
  EXPECT_FALSE(agrees("1\n9\nr\nann", "1"));
  EXPECT_FALSE(agrees("1\n9\nr\nbob", ""));
  EXPECT_FALSE(agrees("1\n9\nq\nann", ""));
  EXPECT_TRUE(agrees("2\n9\nr\n{\"team\":\"1\"}\nann", "1"));
  EXPECT_TRUE(agrees("2\n9\nr\n{\"match_id\":\"m\"}\nann", ""));
  for (const char* team : {"", "2"}) {
    EXPECT_FALSE(agrees("2\n9\nr\n{\"team\":\"1\"}\nann", team)) << team;
  }
  EXPECT_FALSE(agrees("2\n9\nr\n{\"team\":\"1\"}\nbob", "1"));
  EXPECT_FALSE(agrees("2\n9\nr\nrubbish\nann", "1"));
  EXPECT_FALSE(agrees("2\n9", "1"));
  EXPECT_TRUE(agrees("rubbish", ""));
  EXPECT_FALSE(agrees("rubbish", "1"));
}

TEST(UtcTime, is_read_to_the_millisecond) {
  using namespace std::chrono_literals;
  const std::chrono::sys_time<std::chrono::milliseconds> day{
      std::chrono::sys_days{std::chrono::year{2026} / 11 / 21}};
  EXPECT_EQ(parse_utc("2026-11-21T06:15:16.123Z"), day + 6h + 15min + 16s + 123ms);
  EXPECT_EQ(parse_utc("2026-11-21T00:00:00.5Z"), day + 500ms);
  EXPECT_EQ(parse_utc("2026-11-21T00:00:00.123456Z"), day + 123ms);
  for (const auto* text : {"", "Z", "2026-11-21", "2026-11-21T06:15:16", "2026-13-21T06:15:16Z",
                           "2026-11-21T24:15:16Z", "2026-11-21T06:15:16.Z", "2026-11-21T06:15:16+Z",
                           "2026-11-21T06:15:1xZ", "2026-11-21 06:15:16Z"}) {
    EXPECT_FALSE(parse_utc(text)) << text;
  }
}

TEST(MatchAnswer, that_is_no_seat_gives_nothing) {
  const auto with_port = [](const std::string& port) {
    return R"({"room_id":"r","address":"h","seat_token":"t","port":)" + port + "}";
  };
  EXPECT_TRUE(parse_match_answer(with_port("1")));
  for (const auto* port : {"0", "65536", "-1", "\"1\"", "1.5", "null"}) {
    EXPECT_FALSE(parse_match_answer(with_port(port))) << port;
  }
  for (const auto* body : {"", "[]", "null", "{", "{}", R"({"room_id":"r","port":1})"}) {
    EXPECT_FALSE(parse_match_answer(body)) << body;
  }
}

TEST(Problem, loses_its_prefix) {
  const auto problem = parse_problem(
      R"({"type":"urn:fixkeep:error:queue_full","title":"t","status":503,"detail":"d"})");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->type, "queue_full");
  EXPECT_EQ(problem->detail, "d");
  EXPECT_FALSE(parse_problem("<html>"));
  EXPECT_FALSE(parse_problem("{}"));
}

TEST(Rooms, are_pages_with_a_cursor) {
  const auto page = parse_rooms(
      R"({"rooms":[{"room_id":"r1","group":"g","mode":"duel","phase":"starting","worker":"w1",)"
      R"("capacity":8,"reserved":3,"occupied":2}],"next":"r1"})");
  ASSERT_TRUE(page);
  ASSERT_EQ(page->rooms.size(), 1U);
  EXPECT_EQ(page->next, "r1");
  EXPECT_EQ(page->rooms[0].taken(), 5U);
  EXPECT_EQ(page->rooms[0].free(), 3U);
  EXPECT_TRUE(page->rooms[0].takes_players());
  const auto warm = parse_rooms(
      R"({"rooms":[{"room_id":"r1","group":null,"phase":"open","capacity":8,"reserved":0,)"
      R"("occupied":0}],"next":null})");
  ASSERT_TRUE(warm);
  EXPECT_EQ(warm->rooms.at(0).group, "");
  const auto unknown = parse_rooms(
      R"({"rooms":[{"room_id":"r1","group":"g","phase":"open","capacity":8,"reserved":3,)"
      R"("occupied":null}],"next":null})");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->rooms.at(0).taken(), 3U) << "those that play are among them";
  const auto last = parse_rooms(R"({"rooms":[],"next":null})");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->next, "");
  EXPECT_FALSE(parse_rooms(R"({"rooms":[{"room_id":"r1"}],"next":null})"));
  EXPECT_FALSE(parse_rooms(R"({"rooms":[1]})"));
}

TEST(Workers, are_read_with_their_counts) {
  const auto workers = parse_workers(R"({"workers":[{"worker":"w1","rooms_started":12}]})");
  ASSERT_TRUE(workers);
  ASSERT_EQ(workers->size(), 1U);
  EXPECT_EQ(workers->front().rooms_started, 12U);
  EXPECT_FALSE(parse_workers(R"({"workers":[{"worker":"w1"}]})"));
}

TEST(Locks, are_summed_up_except_percentiles) {
  const auto first = parse_locks(
      R"({"strategy":"multiphase","statistics":{"acquisitions":10,"wait_us":{"p50":5,"p99":70}}})");
  const auto second = parse_locks(
      R"({"strategy":"multiphase","statistics":{"acquisitions":7,"wait_us":{"p50":9,"p99":50}}})");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->strategy, "multiphase");
  EXPECT_EQ(merge_locks({*second}, {*first, *second}),
            nlohmann::json::parse(R"({"acquisitions":10,"wait_us":{"p50":9,"p99":70}})"));
}

TEST(MatchBody, escapes_what_it_is_given) {
  const auto body = nlohmann::json::parse(match_body(
      {.player = "a\"b", .mode = "duel", .region = "g1", .version = "1", .wait_ms = 500}));
  EXPECT_EQ(body["player_id"], "a\"b");
  EXPECT_EQ(body["attributes"]["region"], "g1");
  EXPECT_EQ(body["wait_ms"], 500);
  EXPECT_FALSE(body.contains("party"));
}

TEST(MatchBody, names_a_party_and_numbers) {
  const std::vector<std::string> party{"b", "c"};
  const Attributes numbers{{"rating", -20}};
  const auto body = nlohmann::json::parse(match_body({.player = "a",
                                                      .mode = "duel",
                                                      .region = "g0",
                                                      .version = "1",
                                                      .party = party,
                                                      .attributes = numbers}));
  EXPECT_EQ(body["party"], nlohmann::json(party));
  EXPECT_EQ(body["attributes"]["rating"], -20);
  EXPECT_EQ(body["attributes"]["region"], "g0");
}

TEST(Endpoint, is_a_url_or_an_address) {
  const Endpoint local{.host = "127.0.0.1", .port = 8101};
  EXPECT_EQ(parse_endpoint("http://127.0.0.1:8101"), local);
  EXPECT_EQ(parse_endpoint("127.0.0.1:8101/"), local);
  EXPECT_EQ(parse_endpoint("http://[::1]:80"), (Endpoint{.host = "::1", .port = 80}));
  EXPECT_EQ(to_string(Endpoint{.host = "::1", .port = 80}), "[::1]:80");
  EXPECT_EQ(to_string(local), "127.0.0.1:8101");
  EXPECT_EQ(parse_endpoint("master-1:80"), (Endpoint{.host = "master-1", .port = 80}));
  for (const auto* wrong : {"", "host", ":80", "host:", "host:0", "host:65536", "host:8x",
                            "https://host:1", "http://host:1/path", "::1", "::1:8101",
                            "http://fe80::7:80", "[::1]", "[host]:80", "[::1:80", "::1]:80"}) {
    EXPECT_FALSE(parse_endpoint(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace fixkeep::client_sim
