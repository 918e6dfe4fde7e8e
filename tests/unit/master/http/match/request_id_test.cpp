// How a match request is called, over a real HTTP server: by its client, or else by the master.
#include <gmock/gmock.h>

#include <optional>
#include <stdexcept>

#include "common/obs/log.hpp"
#include "master/core/directory/directory.hpp"
#include "master/http/match/desk.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::master {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
constexpr const char* trace = "0af7651916cd43dd8448eb211c80319c";
constexpr const char* first_ticket = "m1-0000000000000007-1";

class RequestIdTest : public ::testing::Test {
 protected:
  static TimePoint now() { return TimePoint{std::chrono::hours{1}}; }

  // Sends a request for a seat with these header lines; "\r\n" follows each.
  void ask(const std::string& headers,
           const std::string& body = R"({"player_id":"ann","mode":"duel"})",
           const char* from = "127.0.0.1") {
    client_.emplace(server_.port(), from);
    client_->send("POST /v1/match HTTP/1.1\r\nHost: h\r\n" + headers +
                  "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  // The one that has arrived.
  MatchRequested match() {
    std::optional<MatchRequested> arrived;
    const auto has_arrived = [&] {
      server_.on_thread([&] {
        if (!matches_.empty()) arrived = matches_.front();
      });
      return arrived.has_value();
    };
    EXPECT_TRUE(net::test::eventually(has_arrived)) << client_->read_answer();
    if (!arrived) throw std::runtime_error{"no request arrived"};
    return *arrived;
  }
  std::string refused_with(Refusal reason) {
    const TicketId ticket = match().ticket;
    server_.on_thread([&] { desk_.answer(Refused{ticket, reason, {}}, now(), directory_); });
    return client_->read_answer();
  }
  std::string seated() {
    Seated seated;
    seated.ticket = match().ticket;
    seated.room = {WorkerId{"w1"}, Incarnation{1}, RoomNumber{3}};
    seated.group = GroupKey{"duel"};
    seated.place = {"127.0.0.1", {{"default", 20'000}}};
    seated.players = {PlayerId{"ann"}};
    server_.on_thread([&] { desk_.answer(seated, now(), auth::WallTime{}); });
    return client_->read_answer();
  }

  std::vector<MatchRequested> matches_;
  Directory directory_{Placement::roomiest};
  MatchDesk desk_{{.self = MasterId{1},
                   .incarnation = Incarnation{7},
                   .intake = {.modes = {{.name = ModeName{"duel"}, .capacity = 4}}}},
                  [this](Event&& event) {
                    if (auto* match = std::get_if<MatchRequested>(&event))
                      matches_.push_back(std::move(*match));
                  }};
  net::test::RunningServer server_{
      [this](net::HttpRequest&& request, const net::HttpResponder& responder) {
        desk_.request(request, responder, now());
      }};
  std::optional<net::test::Client> client_;
};

std::string header(const std::string& id) {
  return "X-Request-Id: " + id + "\r\n";
}

TEST_F(RequestIdTest, is_of_the_client_that_sent_it) {
  for (const char* from : {"127.0.0.1", "127.0.0.2", "127.0.0.2", "127.0.0.1"}) {
    server_.on_thread([&] { matches_.clear(); });
    ask("", R"({"player_id":"ann","mode":"duel"})", from);
    EXPECT_EQ(match().client, ClientAddress{from});
  }
}

TEST_F(RequestIdTest, of_the_client_is_echoed_with_the_seat) {
  ask(header("client 42 \"a=b\""));
  EXPECT_THAT(seated(), HasSubstr("\r\nX-Request-Id: client 42 \"a=b\"\r\n"));
}

TEST_F(RequestIdTest, is_the_ticket_if_the_client_gives_none) {
  ask("");
  EXPECT_TRUE(match().claim.context.empty()) << "nobody follows it, so it costs nothing";
  const auto answer = seated();
  EXPECT_THAT(answer, HasSubstr(std::string{"\r\nX-Request-Id: "} + first_ticket + "\r\n"));
  EXPECT_THAT(answer, HasSubstr(std::string{"\"ticket_id\":\""} + first_ticket + "\""));
}

TEST_F(RequestIdTest, is_echoed_with_a_refusal_that_comes_later) {
  ask(header("r1"));
  EXPECT_THAT(refused_with(Refusal::no_capacity), HasSubstr("\r\nX-Request-Id: r1\r\n"));
}

TEST_F(RequestIdTest, is_echoed_with_a_refusal_at_once) {
  ask(header("r1"), "{");
  EXPECT_THAT(client_->read_answer(), HasSubstr("\r\nX-Request-Id: r1\r\n"));
  ask("", "{");
  EXPECT_THAT(client_->read_answer(), HasSubstr("\r\nX-Request-Id: m1-0000000000000007-2\r\n"));
}

TEST_F(RequestIdTest, that_is_no_good_is_replaced_and_the_request_goes_on) {
  const auto longest = std::string(wire::limits::request_id_bytes, 'x');
  int asked = 0;
  for (const std::string& bad : {header(""), header("\xc3\xa9"), header("a\tb"),
                                 header(longest + "x"), header("r1") + header("r2")}) {
    matches_.clear();
    ask(bad);
    EXPECT_THAT(seated(), HasSubstr("\r\nX-Request-Id: m1-0000000000000007-" +
                                    std::to_string(++asked) + "\r\n"))
        << bad;
  }
  matches_.clear();
  ask(header(longest));
  EXPECT_THAT(seated(), HasSubstr("\r\nX-Request-Id: " + longest + "\r\n"));
}

TEST_F(RequestIdTest, and_trace_go_with_the_claim) {
  ask(header("r1") + "TraceParent: " + traceparent + "\r\n");
  const auto context = match().claim.context;
  EXPECT_EQ(context.request_id, "r1");
  ASSERT_TRUE(context.trace);
  EXPECT_EQ(to_traceparent(*context.trace), traceparent);
}

TEST_F(RequestIdTest, is_made_for_a_request_that_has_a_trace_alone) {
  ask(std::string{"traceparent: "} + traceparent + "\r\n");
  EXPECT_EQ(match().claim.context.request_id, first_ticket);
}

TEST_F(RequestIdTest, has_no_trace_if_that_is_malformed_or_there_twice) {
  const auto line = std::string{"traceparent: "} + traceparent;
  for (const std::string& bad : {line + "x\r\n", line + "\r\n" + line + "\r\n"}) {
    matches_.clear();
    ask(header("r1") + bad);
    const auto context = match().claim.context;
    EXPECT_EQ(context.request_id, "r1");
    EXPECT_FALSE(context.trace) << bad;
    (void)seated();
  }
}

// What the log says of a request, at a level.
class MatchLogTest : public RequestIdTest {
 protected:
  void begin(obs::LogLevel level) {
    testing::internal::CaptureStderr();
    ASSERT_TRUE(obs::start_log({.level = level, .node = "m1"}));
  }
  static std::string log() {
    obs::stop_log();
    auto text = testing::internal::GetCapturedStderr();
    (void)obs::start_log({});
    obs::stop_log();
    return text;
  }
};

TEST_F(MatchLogTest, tells_a_match_by_request_trace_and_ticket_at_debug) {
  begin(obs::LogLevel::debug);
  ask(header("r1") + "traceparent: " + traceparent + "\r\n");
  (void)seated();
  const auto text = log();
  const std::string names = std::string{" request=r1 trace="} + trace + " ticket=" + first_ticket;
  EXPECT_THAT(text,
              HasSubstr("debug m1 match requested" + names + " mode=duel group=duel players=1\n"));
  EXPECT_THAT(text, HasSubstr("debug m1 match seated" + names +
                              " group=duel room=w1-0000000000000001-3 worker=w1\n"));
}

TEST_F(MatchLogTest, names_a_request_without_headers_by_its_ticket_for_the_worker_too) {
  begin(obs::LogLevel::debug);
  ask("");
  EXPECT_EQ(match().claim.context, (wire::RequestContext{first_ticket, {}}));
  (void)seated();
  EXPECT_THAT(log(), HasSubstr(std::string{"match requested request="} + first_ticket +
                               " ticket=" + first_ticket));
}

TEST_F(MatchLogTest, says_nothing_of_what_goes_well_at_info) {
  begin(obs::LogLevel::info);
  ask(header("r1"));
  (void)seated();
  EXPECT_EQ(log(), "");
}

TEST_F(MatchLogTest, tells_a_refusal_that_is_not_the_clients_own_doing_at_info) {
  begin(obs::LogLevel::info);
  ask(header("r1"));
  (void)refused_with(Refusal::boot_failed);
  ask(header("r2"), "{");
  (void)client_->read_answer();
  const auto text = log();
  EXPECT_THAT(text, HasSubstr(std::string{"info  m1 match refused request=r1 ticket="} +
                              first_ticket + " reason=boot-failed\n"));
  EXPECT_THAT(text, Not(HasSubstr("r2")));
}

TEST_F(MatchLogTest, tells_why_games_fail_and_the_player_hears_nothing_of_it) {
  constexpr const char* inside = "User \\\"system:serviceaccount:ns:worker\\\" cannot create pods";
  wire::WorkerState worker;
  worker.modes.known = {ModeName{"duel"}};
  directory_.connect(WorkerId{"w1"}, Incarnation{1});
  directory_.introduce(WorkerId{"w1"}, worker);
  directory_.set_modes(WorkerId{"w1"},
                       {{ModeName{"duel"}},
                        {{ModeName{"duel"}, wire::PauseCause::failing, std::chrono::seconds{4},
                          "User \"system:serviceaccount:ns:worker\" cannot create pods"}}});
  begin(obs::LogLevel::info);
  for (const auto reason : {Refusal::no_capacity, Refusal::boot_failed, Refusal::queue_full}) {
    server_.on_thread([&] { matches_.clear(); });
    ask("");
    EXPECT_THAT(refused_with(reason), Not(HasSubstr("system:serviceaccount")));
  }
  const auto text = log();
  EXPECT_THAT(text, HasSubstr(std::string{"reason=no-capacity why=\"w1: "} + inside));
  EXPECT_THAT(text, HasSubstr(std::string{"reason=boot-failed why=\"w1: "} + inside));
  EXPECT_THAT(text, HasSubstr("reason=queue-full\n"));
}

TEST_F(MatchLogTest, stays_one_line_whatever_a_client_calls_its_request) {
  begin(obs::LogLevel::info);
  ask(header("x level=error \"m1 forged\\n"));
  (void)refused_with(Refusal::boot_failed);
  const auto text = log();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(text, HasSubstr("request=\"x level=error \\\"m1 forged\\\\n\" ticket="));
}

TEST_F(MatchLogTest, does_not_drown_in_refusals) {
  begin(obs::LogLevel::info);
  for (int i = 0; i < 50; ++i) {
    matches_.clear();
    ask("");
    (void)refused_with(Refusal::queue_full);
  }
  const auto text = log();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
}

}  // namespace
}  // namespace fixkeep::master
