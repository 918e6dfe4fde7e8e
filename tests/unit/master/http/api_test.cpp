// The routes of a master over a real HTTP server. Nothing is in its directory.
#include "master/http/api.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cctype>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <thread>

#include "common/auth/seat_token.hpp"
#include "common/obs/version.hpp"
#include "master/core/directory/directory.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::master {

std::string_view specification() noexcept;

namespace {

class ApiTest : public ::testing::Test {
 protected:
  ApiTest() {
    server_ = net::HttpServer::start(
                  context_, {},
                  [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
                    api_.handle(request, responder, audience_);
                  })
                  .value();
    views_->turn(core_.take_news(), core_.directory());
    port_ = server_->port();
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~ApiTest() override {
    boost::asio::post(context_, [this] {
      feed_->stop();
      views_->stop();
      server_.reset();
    });
    work_.reset();
    thread_.join();
  }

  std::string ask(const std::string& method, const std::string& target,
                  const std::string& fields = "") {
    net::test::Client client{port_};
    client.send(method + " " + target + " HTTP/1.1\r\nHost: h\r\n" + fields +
                "Content-Length: 0\r\n\r\n");
    return method == "HEAD" ? client.read_until("\r\n\r\n") : client.read_answer();
  }
  // "200", "405 GET, HEAD", "404 not-found".
  std::string outcome(const std::string& method, const std::string& target,
                      const std::string& fields = "") {
    const std::string answer = ask(method, target, fields);
    std::string text = answer.substr(answer.find(' ') + 1, 3);
    const auto between = [&](const std::string& from, char to) {
      const auto at = answer.find(from);
      if (at == std::string::npos) return;
      const auto start = at + from.size();
      text += " " + answer.substr(start, answer.find(to, start) - start);
    };
    between("Allow: ", '\r');
    if (text.size() == 3) between("urn:fixkeep:error:", '"');
    return text;
  }

  std::atomic<Audience> audience_ = Audience::operators;

 private:
  static MasterOptions options() {
    MasterOptions options;
    options.self = MasterId{1};
    options.locks.self = MasterId{1};
    return options;
  }
  static TimePoint now() { return TimePoint{std::chrono::hours{1}}; }

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      context_.get_executor()};
  MasterCore core_{options(), now()};
  static std::vector<Mode> modes() {
    return {{.name = ModeName{"duel"},
             .capacity = 8,
             .attributes = {"region", "version"},
             .bands = {{"skill", {1000, 1200}}},
             .values = {{"region", {"eu", "us"}}}},
            {.name = ModeName{"arena"},
             .capacity = 100,
             .one_seat_per = SeatScope::group,
             .join = {.code = true, .room_id = true}}};
  }
  MatchDesk desk_{{.self = MasterId{1},
                   .intake = {.modes = modes(),
                              .wait = std::chrono::milliseconds{20'000},
                              .client_limits = {.per_second = 1, .burst = 50}}},
                  [](Event&&) {}};
  std::shared_ptr<ViewDesk> views_ = ViewDesk::start(context_);
  events::Journal journal_{"m1", 10};
  std::shared_ptr<Feed> feed_ =
      Feed::start(context_, {.node = "m1", .cluster = "test", .modes = {}}, *views_,
                  [] { return FrameFacts{}; });
  std::shared_ptr<WorkerCalls> calls_ =
      WorkerCalls::start(context_, [](const WorkerId&, wire::OperatorCall&&) { return false; });
  MatchesDesk matches_{desk_, core_};
  TicketsDesk tickets_{desk_, core_, std::chrono::seconds{30}};
  Api api_{{.self = MasterId{1},
            .lock_strategy = "multiphase",
            .configuration = [] { return std::string{"{}"}; },
            .next_modes = [] { return std::string{}; },
            .masters = [] { return std::vector<MasterRow>{}; },
            .metrics_facts = [] { return MetricsFacts{}; },
            .readiness_facts =
                [] {
                  ReadinessFacts facts;
                  facts.others = {{"m2", false, "link refused at 10.0.0.2:7100"}};
                  facts.locks_reachable = false;
                  facts.lock_trouble = "no right to read secret/locks";
                  return facts;
                },
            .refused_nodes = [] { return std::vector<net::LinkTroubles::Refused>{}; },
            .now = now,
            .journal = journal_,
            .feed = *feed_,
            .allowed_origins = {"https://play.example"}},
           core_,
           desk_,
           *views_,
           *calls_,
           matches_,
           tickets_};
  std::unique_ptr<net::HttpServer> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST_F(ApiTest, every_page_is_read_and_nothing_else_is_done_with_it) {
  for (const char* path : {"/v1/rooms", "/v1/workers", "/v1/masters", "/v1/locks", "/v1/events",
                           "/healthz", "/metrics"}) {
    EXPECT_EQ(outcome("GET", path), "200") << path;
    EXPECT_EQ(outcome("HEAD", path), "200") << path;
    EXPECT_EQ(outcome("POST", path), "405 GET, HEAD") << path;
  }
  EXPECT_EQ(outcome("GET", "/readyz"), "503 not-ready") << "this master has not joined";
  EXPECT_EQ(outcome("DELETE", "/readyz"), "405 GET, HEAD");
}

TEST_F(ApiTest, a_match_is_posted) {
  audience_ = Audience::players;
  EXPECT_EQ(outcome("GET", "/v1/match"), "405 POST");
  EXPECT_EQ(outcome("HEAD", "/v1/match?x"), "405 POST");
  EXPECT_EQ(outcome("POST", "/v1/match").substr(0, 1), "4") << "there was no body";
}

TEST_F(ApiTest, a_seat_is_given_back_by_its_token) {
  audience_ = Audience::players;
  EXPECT_EQ(outcome("GET", "/v1/seats/none"), "405 DELETE");
  EXPECT_EQ(outcome("DELETE", "/v1/seats/none"), "400 invalid-request");
  EXPECT_EQ(outcome("DELETE", "/v1/seats/"), "400 invalid-request");
  const std::string nobodys_worker =
      auth::sign_seat({}, {"w9-0000000000000001-1", PlayerId{"ann"}, auth::WallTime{}});
  EXPECT_EQ(outcome("DELETE", "/v1/seats/" + nobodys_worker), "503 worker-away");
}

TEST_F(ApiTest, players_are_told_what_they_may_ask_for) {
  audience_ = Audience::players;
  for (const char* path : {"/v1/modes", "/v1/version"}) {
    EXPECT_EQ(outcome("HEAD", path), "200") << path;
    EXPECT_EQ(outcome("POST", path), "405 GET, HEAD") << path;
  }
  const std::string modes = ask("GET", "/v1/modes");
  EXPECT_EQ(
      modes.substr(modes.find("\r\n\r\n") + 4),
      R"({"modes":[{"mode":"duel","capacity":8,"players_most":8,"one_seat_per":"mode",)"
      R"("attributes":[{"attribute":"region","values":["eu","us"]},)"
      R"({"attribute":"version","values":null}],)"
      R"("bands":[{"attribute":"skill","edges":[1000,1200]}],"numbers":[],"regions":[],"roles":[],)"
      R"("avoid_most":0,"join":[],)"
      R"("wait_ms_most":20000},)"
      R"({"mode":"arena","capacity":100,"players_most":64,"one_seat_per":"group",)"
      R"("attributes":[],"bands":[],"numbers":[],"regions":[],"roles":[],)"
      R"("avoid_most":0,"join":["code","room_id"],)"
      R"("wait_ms_most":20000}],"wait_ms_most":20000,"pings":[]})");
  const std::string version = ask("GET", "/v1/version");
  EXPECT_TRUE(version.ends_with("{\"api\":\"v1\",\"version\":\"" +
                                std::string{obs::build_version()} + "\"}"))
      << version;
}

// Of its parameters only the form is known, so the pages may say that there is no such room.
TEST_F(ApiTest, each_call_of_the_specification_is_at_its_listener_and_at_no_other) {
  const auto document = nlohmann::json::parse(specification());
  const auto is_there = [&](Audience audience, const std::string& method, const std::string& path) {
    audience_ = audience;
    const std::string answer = ask(method, path);
    const bool no_such_path =
        answer.starts_with("HTTP/1.1 404 ") && answer.find("\"there are ") != std::string::npos;
    return !no_such_path && !answer.starts_with("HTTP/1.1 405 ");
  };
  for (const auto& [path, item] : document["paths"].items()) {
    const auto asked = std::regex_replace(path, std::regex{"\\{[a-z_]*\\}"}, "x");
    for (const auto& [method, operation] : item.items()) {
      if (method == "parameters") continue;
      std::string verb = method;
      for (char& letter : verb) letter = static_cast<char>(std::toupper(letter));
      const std::string tag = operation["tags"][0];
      EXPECT_EQ(is_there(Audience::players, verb, asked), tag != "operators") << path;
      EXPECT_EQ(is_there(Audience::operators, verb, asked), tag != "players") << path;
    }
  }
}

// A browser sends what looks like a form without asking for leave.
TEST_F(ApiTest, a_page_of_an_origin_that_is_not_allowed_is_refused_before_it_takes_a_seat) {
  audience_ = Audience::players;
  const std::string refused = "403 foreign-page";
  for (const char* origin : {"https://evil.example", "http://play.example", "null", ""}) {
    const std::string field = std::string{"Origin: "} + origin + "\r\n";
    EXPECT_EQ(outcome("POST", "/v1/match", field), refused) << origin;
    EXPECT_EQ(outcome("OPTIONS", "/v1/match", field), refused) << origin;
    EXPECT_EQ(outcome("POST", "/v1/match", field + "Sec-Fetch-Site: same-site\r\n"), refused);
    EXPECT_EQ(outcome("POST", "/v1/match", field + "Sec-Fetch-Site: same-origin\r\n"),
              "400 invalid-json")
        << "a proxy has changed the host: " << origin;
  }
  EXPECT_EQ(outcome("POST", "/v1/match", "Origin: https://play.example\r\n"), "400 invalid-json");
  EXPECT_EQ(outcome("POST", "/v1/match", "Origin: http://h\r\n"), "400 invalid-json");
}

TEST_F(ApiTest, a_room_that_cannot_be_there_is_not_found_whatever_is_wanted_of_it) {
  const std::string room =
      "/v1/rooms/" + to_string(RoomId{WorkerId{"w1"}, Incarnation{1}, RoomNumber{3}});
  EXPECT_EQ(outcome("GET", room), "404 not-found");
  EXPECT_EQ(outcome("POST", room), "405 GET, HEAD");
  for (const char* method : {"GET", "POST"}) {
    for (const char* path : {"/v1/rooms/", "/v1/rooms/x", "/v1/rooms/a/b"}) {
      const auto answer = ask(method, path);
      EXPECT_NE(answer.find("the room id is not valid"), std::string::npos) << path << "\n"
                                                                            << answer;
    }
  }
}

TEST_F(ApiTest, what_is_done_to_rooms_and_workers_is_posted_and_they_have_to_be_there) {
  const std::string room =
      "/v1/rooms/" + to_string(RoomId{WorkerId{"w1"}, Incarnation{1}, RoomNumber{3}});
  for (const auto& path : {room + "/drain", room + "/close", std::string{"/v1/workers/w1/drain"},
                           std::string{"/v1/workers/w1/resume"}}) {
    EXPECT_EQ(outcome("GET", path), "405 POST") << path;
    EXPECT_EQ(outcome("POST", path), "404 not-found") << path;
  }
  EXPECT_EQ(outcome("POST", room + "/log"), "405 GET, HEAD");
  EXPECT_EQ(outcome("GET", room + "/log"), "503 worker-away") << "a room that closed has a log";
  EXPECT_EQ(outcome("GET", "/v1/rooms/x/log"), "404 not-found");
}

TEST_F(ApiTest, a_query_belongs_to_the_rooms) {
  EXPECT_EQ(outcome("GET", "/v1/rooms?limit=1000"), "200");
  for (const char* query :
       {"limit=0", "limit=1001", "limit=x", "limit", "after=x", "limit=1&y=2"}) {
    EXPECT_EQ(outcome("GET", std::string{"/v1/rooms?"} + query), "400 invalid-query") << query;
  }
  EXPECT_EQ(outcome("POST", "/v1/rooms?limit=0"), "405 GET, HEAD");
  EXPECT_EQ(outcome("GET", "/healthz?x"), "200");
}

TEST_F(ApiTest, operators_read_what_is_wrong_and_players_that_something_is) {
  for (const char* inside : {"10.0.0.2:7100", "secret/locks"}) {
    audience_ = Audience::operators;
    EXPECT_NE(ask("GET", "/readyz").find(inside), std::string::npos) << inside;
    audience_ = Audience::players;
    EXPECT_EQ(ask("GET", "/readyz").find(inside), std::string::npos) << inside;
  }
  for (const char* reason : {"master-away", "lock-server-away", "joining"}) {
    EXPECT_NE(ask("GET", "/readyz").find(reason), std::string::npos) << reason;
  }
}

TEST_F(ApiTest, what_anybody_may_read_counts_as_a_request_of_the_address) {
  audience_ = Audience::players;
  const std::vector<std::string> reads{"/v1/modes", "/v1/modes/duel/statistics", "/v1/version",
                                       "/openapi.json"};
  for (int i = 0; i < 50; ++i) {
    const auto& path = reads[static_cast<std::size_t>(i) % reads.size()];
    EXPECT_EQ(outcome("GET", path).substr(0, 3), "200") << path << " " << i;
  }
  for (const auto& path : reads) EXPECT_EQ(outcome("GET", path), "429 too-many-requests") << path;
  EXPECT_EQ(outcome("POST", "/v1/match"), "429 too-many-requests");
  EXPECT_EQ(outcome("GET", "/healthz"), "200") << "balancers and probes ask that";
}

TEST_F(ApiTest, players_match_and_operators_look) {
  const std::vector<std::string> looks{"/v1/rooms", "/v1/rooms/x", "/v1/workers", "/v1/masters",
                                       "/v1/locks", "/v1/events",  "/v1/node",    "/metrics"};
  audience_ = Audience::players;
  EXPECT_EQ(outcome("GET", "/v1/match"), "405 POST");
  EXPECT_EQ(outcome("GET", "/healthz"), "200");
  EXPECT_EQ(outcome("GET", "/readyz"), "503 not-ready");
  for (const auto& path : looks) {
    EXPECT_EQ(outcome("GET", path), "404 not-found") << path;
    EXPECT_EQ(outcome("POST", path), "404 not-found") << path;
  }
  EXPECT_EQ(ask("GET", "/v1/rooms").find("metrics"), std::string::npos);

  audience_ = Audience::operators;
  EXPECT_EQ(outcome("POST", "/v1/match"), "404 not-found");
  EXPECT_EQ(outcome("GET", "/healthz"), "200");
  EXPECT_EQ(outcome("GET", "/readyz"), "503 not-ready");
  for (const auto& path : looks) {
    EXPECT_EQ(outcome("GET", path), path == "/v1/rooms/x" ? "404 not-found" : "200") << path;
  }
}

TEST_F(ApiTest, the_dashboard_and_all_that_it_asks_for_are_for_operators) {
  const std::string page = ask("GET", "/");
  for (const char* field : {"Content-Type: text/html", "X-Content-Type-Options: nosniff\r\n",
                            "Content-Security-Policy: frame-ancestors 'none'\r\n"}) {
    EXPECT_NE(page.find(field), std::string::npos) << field;
  }
  std::set<std::string> asked_for;
  for (const char* before : {"src=\"", "href=\"", "from './"}) {
    for (const char* file : {"/", "/dashboard.js", "/rooms_view.js", "/state.js"}) {
      const std::string text = ask("GET", file);
      for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
        const auto name = at + std::string_view{before}.size();
        asked_for.insert("/" + text.substr(name, text.find_first_of("\"'", name) - name));
      }
    }
  }
  asked_for.erase("/#rooms");
  asked_for.erase("/data:,");
  EXPECT_EQ(asked_for.size(), 14U) << "all files but the page itself";
  for (const auto& path : asked_for) EXPECT_EQ(outcome("GET", path), "200") << path;
  audience_ = Audience::players;
  for (const auto& path : asked_for) EXPECT_EQ(outcome("GET", path), "404 not-found") << path;
  EXPECT_EQ(outcome("GET", "/"), "404 not-found");
}

TEST_F(ApiTest, a_path_that_is_no_page_says_which_there_are) {
  for (const char* path : {"/x", "/v1", "/v1/roomsx", "/v1/match/", "/healthz/"}) {
    EXPECT_EQ(outcome("GET", path), "404 not-found") << path;
    EXPECT_EQ(outcome("POST", path), "404 not-found") << path;
  }
  EXPECT_NE(ask("GET", "/x").find("there are GET /v1/rooms"), std::string::npos);
  audience_ = Audience::players;
  EXPECT_NE(ask("GET", "/").find("there are POST /v1/match"), std::string::npos);
}

}  // namespace
}  // namespace fixkeep::master
