#include "worker/sdk/rest/rest_transport.hpp"

#include <gmock/gmock.h>

#include "tests/unit/worker/sdk/rest/rest_game.hpp"

namespace fixkeep::worker::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Row {
  std::string method;
  std::string path;
  std::string body;
  unsigned status;
  std::string answer;  // JSON, or nothing for an answer without a body
};

std::string error(int code, const std::string& message) {
  return Json{{"code", code}, {"message", message}, {"details", Json::array()}}.dump();
}

const std::string wrong_method = error(12, "Method Not Allowed");
const std::string no_page = error(5, "Not Found");

struct RestTransportTest : RestTest {
  void goes_through(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      const Reply reply = call(row.method, row.path, row.body);
      const auto what = row.method + " " + row.path + " " + row.body;
      EXPECT_EQ(reply.status, row.status) << what << "\n" << reply.text;
      EXPECT_EQ(reply.type, "application/json") << what;
      if (row.answer.empty()) {
        EXPECT_EQ(reply.text, "") << what;
      } else {
        EXPECT_EQ(reply.json(), Json::parse(row.answer)) << what;
      }
    }
  }
  // Whatever the text is, the code has to be the one.
  void refuses(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      const Reply reply = call(row.method, row.path, row.body);
      const auto what = row.method + " " + row.path + " " + row.body;
      EXPECT_EQ(reply.status, row.status) << what << "\n" << reply.text;
      EXPECT_EQ(reply.json()["code"].dump(), row.answer) << what;
      EXPECT_EQ(reply.json()["details"], Json::array()) << what;
      EXPECT_NE(reply.json()["message"], "") << what;
    }
  }
  std::string state() { return get("/gameserver").json()["status"]["state"]; }
};

TEST_F(RestTransportTest, the_life_of_a_game) {
  goes_through({{"POST", "/health", "{}", 200, "{}"},
                {"POST", "/health", "{}{}\n{\"x\":1} ", 200, "{}"},
                {"POST", "/health", " ", 200, "{}"},
                {"POST", "/reserve", R"({"seconds":"30"})", 200, "{}"}});
  EXPECT_EQ(state(), "Reserved");
  goes_through({{"POST", "/ready", "{}", 200, "{}"}});
  EXPECT_EQ(state(), "Ready");
  goes_through({{"POST", "/allocate", "", 200, "{}"}});
  EXPECT_EQ(state(), "Allocated");
  goes_through({{"POST", "/reserve", R"({"seconds":5})", 200, "{}"},
                {"POST", "/reserve", "", 200, "{}"},
                {"POST", "/ready", R"({"unknown":[1]})", 200, "{}"},
                {"POST", "/shutdown", "", 200, "{}"}});
  EXPECT_EQ(state(), "Shutdown");
  EXPECT_THAT(room.happened,
              ElementsAre("health", "health", "timer 30", "ready", "timer 5", "shutdown"));
}

TEST_F(RestTransportTest, a_token_has_to_be_right_if_there_is_one) {
  EXPECT_EQ(call("POST", "/ready", "{}", "Bearer the token of w1-1-1").status, 200U);
  for (const char* const wrong : {"Bearer the token of w1-1-2", "Bearer the token of w1-1-",
                                  "Bearer ", "the token of w1-1-1", "Basic YTpi"}) {
    const Reply reply = call("POST", "/shutdown", "{}", wrong);
    EXPECT_EQ(reply.status, 401U) << wrong;
    EXPECT_EQ(reply.json()["code"], 16) << wrong;
    EXPECT_EQ(call("GET", "/watch/gameserver", "", wrong).status, 401U) << wrong;
  }
  EXPECT_THAT(room.happened, ElementsAre("ready"));
}

TEST_F(RestTransportTest, shows_the_game_server_as_agones_does) {
  EXPECT_EQ(get("/gameserver").json(), Json::parse(R"({
    "object_meta": {"name": "w1-1-1", "namespace": "fixkeep", "uid": "w1-1-1",
      "resource_version": "1", "generation": "1", "creation_timestamp": "1700000000",
      "deletion_timestamp": "0", "annotations": {},
      "labels": {"fixkeep/group": "duel|eu", "fixkeep/mode": "duel"}},
    "spec": {"health": {"disabled": false, "period_seconds": 5, "failure_threshold": 3,
      "initial_delay_seconds": 5}},
    "status": {"state": "Scheduled", "address": "game.example",
      "addresses": [{"type": "ExternalIP", "address": "game.example"}],
      "ports": [{"name": "default", "port": 20001}],
      "players": {"count": "0", "capacity": "4", "ids": []},
      "counters": {"rooms": {"count": "1", "capacity": "10"}},
      "lists": {"players": {"capacity": "3", "values": ["test0"]}}}})"));
}

TEST_F(RestTransportTest, the_game_server_changes_with_what_the_game_says) {
  goes_through({{"PUT", "/metadata/label", R"({"key":"map","value":"ice"})", 200, "{}"},
                {"PUT", "/metadata/annotation", R"({"key":"a.b/c","value":"any text"})", 200, "{}"},
                {"POST", "/allocate", "{}", 200, "{}"},
                {"POST", "/alpha/player/connect", R"({"playerID":"ann"})", 200, R"({"bool":true})"},
                {"POST", "/shutdown", "{}", 200, "{}"}});
  const Json body = get("/gameserver").json();
  EXPECT_EQ(body["object_meta"]["resource_version"], "6");
  EXPECT_EQ(body["object_meta"]["deletion_timestamp"], "1700000100");
  EXPECT_EQ(body["object_meta"]["labels"]["agones.dev/sdk-map"], "ice");
  EXPECT_EQ(body["object_meta"]["annotations"], Json::parse(R"({"agones.dev/sdk-a.b/c": "any text",
                            "agones.dev/last-allocated": "2023-11-14T22:15:00Z"})"));
  EXPECT_EQ(body["status"]["players"],
            Json::parse(R"({"count": "1", "capacity": "4", "ids": ["ann"]})"));
}

TEST_F(RestTransportTest, the_result_of_the_room) {
  goes_through(
      {{"PUT", "/metadata/annotation", R"({"key":"fixkeep/result","value":"1"})", 200, "{}"}});
  refuses({{"PUT", "/metadata/annotation", R"({"key":"fixkeep/result","value":"2"})", 409, "6"}});
}

TEST_F(RestTransportTest, counters) {
  const std::string path = "/v1beta1/counters/rooms";
  const auto out_of_range = [](int count, int capacity) {
    return error(2, "out of range. Count must be within range [0,Capacity]. Found Count: " +
                        std::to_string(count) + ", Capacity: " + std::to_string(capacity));
  };
  const auto rooms = [](int count, int capacity) {
    return Json{
        {"name", "rooms"}, {"count", std::to_string(count)}, {"capacity", std::to_string(capacity)}}
        .dump();
  };
  goes_through(
      {{"GET", path, "", 200, rooms(1, 10)},
       {"GET", path, "{}", 200, rooms(1, 10)},
       {"GET", path, "no JSON", 200, rooms(1, 10)},
       {"PATCH", path, R"({"count":"5","capacity":"11"})", 200, rooms(5, 11)},
       {"PATCH", path, R"({"countDiff":"-3"})", 200, rooms(2, 11)},
       {"PATCH", path, R"({"count_diff":4})", 200, rooms(6, 11)},
       {"PATCH", path, R"({"count":0})", 200, rooms(0, 11)},
       {"PATCH", path, R"({"countDiff":-1})", 500, out_of_range(-1, 11)},
       {"PATCH", path, R"({"count":"12"})", 500, out_of_range(12, 11)},
       {"PATCH", path, R"({"capacity":-1})", 500,
        error(2, "out of range. Capacity must be greater than or equal to 0. Found Capacity: -1")},
       {"PATCH", path, R"({"name":"other","count":3})", 200, rooms(3, 11)},
       {"PATCH", path, R"({"count":null,"countDiff":1,"what":{}})", 200, rooms(4, 11)},
       {"GET", "/v1beta1/counters/frags", "", 500, error(2, "not found. frags Counter not found")},
       {"PATCH", "/v1beta1/counters/fr%61gs", R"({"count":1})", 500,
        error(2, "not found. frags Counter not found")},
       {"GET", path, "", 200, rooms(4, 11)}});
  refuses({{"PATCH", path, "{}", 500, "2"},
           {"PATCH", path, "", 500, "2"},
           {"PATCH", path, R"({"count":"x"})", 400, "3"},
           {"PATCH", path, R"({"count":1.5})", 400, "3"},
           {"PATCH", path, R"({"count":[]})", 400, "3"},
           {"PATCH", path, R"({"countDiff":9223372036854775808})", 400, "3"},
           {"PATCH", path, "{", 400, "3"},
           {"GET", "/v1beta1/counters/%2", "", 400, "3"}});
}

TEST_F(RestTransportTest, lists) {
  const std::string path = "/v1beta1/lists/players";
  const auto players = [](int capacity, const std::vector<std::string>& values) {
    return Json{{"name", "players"}, {"capacity", std::to_string(capacity)}, {"values", values}}
        .dump();
  };
  goes_through(
      {{"GET", path, "", 200, players(3, {"test0"})},
       {"POST", path + ":addValue", R"({"value":"x"})", 200, players(3, {"test0", "x"})},
       {"POST", path + ":addValue", R"({"value":"x"})", 500,
        error(2, "already exists. Value: x already in List: players")},
       {"POST", path + ":removeValue", R"({"value":"test0"})", 200, players(3, {"x"})},
       {"POST", path + "%3AaddValue", R"({"value":"y"})", 200, players(3, {"x", "y"})},
       {"POST", "/v1beta1/l%69sts/%70layers%3aremoveValue", R"({"value":"y"})", 200,
        players(3, {"x"})},
       {"POST", path + ":removeValue", R"({"value":"test0"})", 500,
        error(2, "not found. Value: test0 not found in List: players")},
       {"PATCH", path, R"({"values":["a","b"],"capacity":"5"})", 200, players(5, {"a", "b"})},
       {"PATCH", path, R"({"capacity":4})", 200, players(4, {"a", "b"})},
       {"PATCH", path, R"({"values":["c"]})", 200, players(4, {"c"})},
       {"PATCH", path + "?updateMask=capacity", R"({"capacity":"1","values":["d"]})", 200,
        players(1, {"c"})},
       {"PATCH", path + "?update_mask=capacity%2Cvalues", R"({"capacity":"2"})", 200,
        players(2, {})},
       {"PATCH", path, R"({"name":"other","values":["a","b","c"]})", 200, players(2, {"a", "b"})},
       {"PATCH", path, R"({"values":[]})", 200, players(2, {})},
       {"PATCH", path, "{}", 200, players(2, {})},
       {"PATCH", path, R"({"capacity":0})", 200, players(0, {})},
       {"POST", path + ":addValue", R"({"value":"x"})", 500,
        error(2, "out of range. No available capacity. Current Capacity: 0, List Size: 0")},
       {"PATCH", path, R"({"capacity":1001})", 500,
        error(2, "out of range. Capacity must be within range [0,1000]. Found Capacity: 1001")},
       {"GET", "/v1beta1/lists/maps", "", 500, error(2, "not found. maps List not found")},
       {"PATCH", "/v1beta1/lists/maps", "{}", 500, error(2, "not found. maps List not found")},
       {"POST", "/v1beta1/lists/maps:addValue", R"({"value":"x"})", 500,
        error(2, "not found. maps List not found")},
       {"POST", "/v1beta1/lists/maps:removeValue", R"({"value":"x"})", 500,
        error(2, "not found. maps List not found")}});
  refuses({{"PATCH", path + "?updateMask=size", "{}", 500, "2"},
           {"PATCH", path, R"({"size":1})", 400, "3"},
           {"PATCH", path, R"({"values":"a"})", 400, "3"},
           {"PATCH", path, R"({"values":[1]})", 400, "3"},
           {"POST", path + ":addValue", "[]", 400, "3"},
           {"PATCH", path, R"({"capacity":5,"values":[")" + std::string(1025, 'x') + R"("]})", 400,
            "3"}});
}

TEST_F(RestTransportTest, player_tracking) {
  const auto is = [](bool value) { return Json{{"bool", value}}.dump(); };
  goes_through(
      {{"POST", "/alpha/player/connect", R"({"playerID":"bob"})", 200, is(true)},
       {"POST", "/alpha/player/connect", R"({"playerID":"bob"})", 200, is(false)},
       {"POST", "/alpha/player/connect", R"({"player_id":"x","playerID":"ann"})", 200, is(true)},
       {"POST", "/alpha/player/disconnect", R"({"player_id":"ann"})", 200, is(true)},
       {"POST", "/alpha/player/connect", R"({"playerId":"ann"})", 200, is(true)},
       {"POST", "/alpha/player/connect", R"({"playerID":"stranger"})", 200, is(false)},
       {"GET", "/alpha/player/count", "{}", 200, R"({"count":"2"})"},
       {"GET", "/alpha/player/connected", "", 200, R"({"list":["bob","ann"]})"},
       {"GET", "/alpha/player/connected/ann", "", 200, is(true)},
       {"GET", "/alpha/player/connected/eve", "", 200, is(false)},
       {"GET", "/alpha/player/capacity", "", 200, R"({"count":"4"})"},
       {"PUT", "/alpha/player/capacity", R"({"count":"2"})", 200, "{}"},
       {"GET", "/alpha/player/capacity", "", 200, R"({"count":"2"})"},
       {"POST", "/alpha/player/connect", R"({"playerID":"eve"})", 500,
        error(2, "Players are already at capacity")},
       {"POST", "/alpha/player/connect", R"({"playerID":"ann"})", 200, is(false)},
       {"POST", "/alpha/player/disconnect", R"({"playerID":"bob"})", 200, is(true)},
       {"POST", "/alpha/player/disconnect", R"({"playerID":"bob"})", 200, is(false)},
       {"GET", "/alpha/player/connected", "", 200, R"({"list":["ann"]})"},
       {"PUT", "/alpha/player/capacity", R"({"count":8})", 200, "{}"},
       {"POST", "/alpha/player/disconnect", R"({"playerID":"ann"})", 200, is(true)},
       {"GET", "/alpha/player/count", "", 200, R"({"count":"0"})"},
       {"GET", "/alpha/player/connected", "", 200, R"({"list":[]})"}});
}

TEST_F(RestTransportTest, decodes_the_player_id_of_a_path) {
  post("/alpha/player/connect", R"({"playerID":"ann/\u00e9 100%"})");
  const Json in{{"bool", true}};
  EXPECT_EQ(get("/alpha/player/connected/ann%2F%c3%A9%20100%25").json(), in);
  EXPECT_EQ(get("/alpha/player/connected/%61nn/%C3%A9%20100%25").json(), in);
  EXPECT_EQ(get("/alpha/player/connected/ann+").json(), Json({{"bool", false}}));
  for (const char* id : {"ann%", "ann%2", "ann%2x", "%%41", "%-1", ""}) {
    refuses({{"GET", std::string{"/alpha/player/connected/"} + id, "", 400, "3"}});
  }
  refuses({{"GET", "/alpha/player/connected/" + std::string(129, 'a'), "", 400, "3"}});
}

TEST_F(RestTransportTest, refuses_what_it_does_not_know_with_the_codes_of_agones) {
  const std::vector<std::string> all{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"};
  const std::vector<std::pair<std::string, std::string>> pages{
      {"/ready", "POST"},
      {"/allocate", "POST"},
      {"/reserve", "POST"},
      {"/shutdown", "POST"},
      {"/health", "POST"},
      {"/gameserver", "GET"},
      {"/watch/gameserver", "GET"},
      {"/metadata/label", "PUT"},
      {"/metadata/annotation", "PUT"},
      {"/v1beta1/counters/rooms", "GET PATCH"},
      {"/v1beta1/lists/players", "GET PATCH"},
      {"/alpha/player/connect", "POST"},
      {"/alpha/player/disconnect", "POST"},
      {"/alpha/player/capacity", "GET PUT"},
      {"/alpha/player/count", "GET"},
      {"/alpha/player/connected", "GET"},
      {"/alpha/player/connected/ann", "GET"}};
  for (const auto& [path, methods] : pages) {
    for (const std::string& method : all) {
      if (methods.find(method) != std::string::npos || method == "HEAD") continue;
      goes_through({{method, path, "{}", 501, wrong_method}});
    }
  }
  goes_through({{"GET", "/", "", 404, no_page},
                {"POST", "/nothing", "{}", 404, no_page},
                {"GET", "/gameserver/", "", 404, no_page},
                {"GET", "/v1alpha1/counters/rooms", "", 404, no_page}});
  EXPECT_EQ(get("/gameserver?x=1").status, 200U);
  EXPECT_THAT(room.happened, IsEmpty());
}

TEST_F(RestTransportTest, refuses_bodies_that_are_no_message) {
  for (const char* path : {"/ready", "/allocate", "/reserve", "/shutdown", "/health",
                           "/alpha/player/connect", "/alpha/player/disconnect"}) {
    for (const char* body : {"{", "[]", "[{}]", "null", "1", "{'a':1}", "{\"a\":\"\xff\"}"}) {
      refuses({{"POST", path, body, 400, "3"}});
    }
  }
  refuses({{"POST", "/reserve", R"({"seconds":"soon"})", 400, "3"},
           {"PUT", "/metadata/label", R"({"key":1})", 400, "3"},
           {"PUT", "/metadata/label", "{}", 400, "3"},
           {"PUT", "/metadata/label", R"({"key":"a","value":"not a label"})", 400, "3"},
           {"PUT", "/metadata/annotation", R"({"key":"not a key"})", 400, "3"},
           {"PUT", "/metadata/annotation", R"({"key":"fixkeep/result","value":"red"})", 400, "3"},
           {"PUT", "/alpha/player/capacity", R"({"count":"x"})", 400, "3"}});
  EXPECT_THAT(put("/metadata/annotation", R"({"key":"score","value":{"red":1}})").json()["message"],
              HasSubstr("\"value\" must be a text"));
  for (const char* body : {"", "{}", R"({"playerID":7})", R"({"playerID":""})"}) {
    refuses({{"POST", "/alpha/player/connect", body, 400, "3"},
             {"POST", "/alpha/player/disconnect", body, 400, "3"}});
  }
  goes_through({{"POST", "/health", "", 400, ""}});
  EXPECT_THAT(room.happened, IsEmpty());
}

TEST_F(RestTransportTest, has_a_bound_of_labels_that_says_so) {
  for (int i = 0; i < 62; ++i) {
    put("/metadata/label", R"({"key":"k)" + std::to_string(i) + R"("})");
  }
  refuses({{"PUT", "/metadata/label", R"({"key":"more"})", 429, "8"}});
}

}  // namespace
}  // namespace fixkeep::worker::test
