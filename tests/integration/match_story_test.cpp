// One match, followed through the logs of master and worker into the environment of the game, as
// docs/watch.md says how to.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::integration {
namespace {

using support::LocalCluster;
using support::Node;
using support::wait_until;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const client_sim::ClusterOptions debugged{
    .masters = 1, .workers = 1, .capacity = 2, .boot_ms = 50, .log_level = "debug"};
constexpr const char* traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::string answer_to(const LocalCluster& cluster, const std::string& player,
                      const std::string& request_id, bool traced = true) {
  const auto body = support::match_body(player, "eu");
  net::test::Client client{cluster.http(0).port};
  client.send("POST /v1/match HTTP/1.1\r\nHost: h\r\nX-Request-Id: " + request_id +
              (traced ? std::string{"\r\ntraceparent: "} + traceparent : std::string{}) +
              "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  return client.read_answer();
}

// The lines that name the request, without what is before their message.
std::vector<std::string> story(const Node& node, const std::string& request_id) {
  std::istringstream log{node.log()};
  std::vector<std::string> found;
  for (std::string line; std::getline(log, line);) {
    if (!contains(line + " ", " request=" + request_id + " ")) continue;
    const auto name = " " + node.name() + " ";
    found.push_back(line.substr(line.find(name) + name.size()));
  }
  return found;
}

auto line(const std::string& message) {
  return AllOf(::testing::StartsWith(message),
               HasSubstr(" trace=0af7651916cd43dd8448eb211c80319c"));
}

TEST(MatchStory, is_told_by_master_and_worker_and_reaches_the_game) {
  LocalCluster cluster{debugged};
  cluster.start();
  Node& master = cluster.master(0);
  Node& worker = cluster.worker(0);

  const auto answer = answer_to(cluster, "ann", "story-1");
  ASSERT_THAT(answer, ::testing::StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer, HasSubstr("\r\nX-Request-Id: story-1\r\n"));
  const auto told = [&](const Node& node, const std::string& request, std::size_t lines) {
    wait_until(node.name() + " has told " + request,
               [&] { return story(node, request).size() >= lines; });
    return story(node, request);
  };
  EXPECT_THAT(told(master, "story-1", 4),
              ElementsAre(line("match requested "), line("room ordered "), line("room opened "),
                          line("match seated ")));
  EXPECT_THAT(told(worker, "story-1", 3),
              ElementsAre(line("seats reserved "), line("room starting "), line("room open ")));

  // The order is the holder's, and has the token of its hold.
  const auto log = master.log();
  const auto granted = log.find("lock granted group=\"duel/");
  const auto ordered = log.find("room ordered request=story-1");
  ASSERT_LT(granted, ordered) << log;
  const auto token_at = log.find(" token=", granted) + 7;
  const auto token = log.substr(token_at, log.find('\n', token_at) - token_at);
  EXPECT_THAT(story(master, "story-1").at(1), HasSubstr(" creation=" + token + "."));

  const auto games = cluster.games(0);
  ASSERT_EQ(games.size(), 1U);
  EXPECT_EQ(support::environment_of(games[0])["TRACEPARENT"], traceparent);

  // Whoever finds a seat in that room has a shorter story.
  ASSERT_THAT(answer_to(cluster, "bob", "story-2"), ::testing::StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(told(master, "story-2", 3),
              ElementsAre(line("match requested "), line("worker asked for seats "),
                          line("match seated ")));
  EXPECT_THAT(told(worker, "story-2", 1), ElementsAre(line("seats reserved ")));
  expect_clean_stop(cluster);
}

TEST(MatchStory, has_no_lines_at_info_but_those_of_the_room) {
  auto options = debugged;
  options.log_level = "info";
  LocalCluster cluster{options};
  cluster.start();
  Node& master = cluster.master(0);
  Node& worker = cluster.worker(0);
  ASSERT_THAT(answer_to(cluster, "ann", "story-1"), ::testing::StartsWith("HTTP/1.1 200 "));
  wait_until("the rooms are told of", [&] {
    return story(master, "story-1").size() >= 2 && story(worker, "story-1").size() >= 2;
  });
  expect_clean_stop(cluster);
  EXPECT_THAT(story(master, "story-1"), ElementsAre(line("room ordered "), line("room opened ")));
  EXPECT_THAT(story(worker, "story-1"), ElementsAre(line("room starting "), line("room open ")));
}

// --- spans, at a collector -----------------------------------------------------------------------

// What has arrived at it, span by span.
class Collector {
 public:
  [[nodiscard]] std::string endpoint() const {
    return "http://127.0.0.1:" + std::to_string(server_.port()) + "/v1/traces";
  }
  [[nodiscard]] std::vector<nlohmann::json> spans() {
    return server_.on_thread([this] { return spans_; });
  }

 private:
  std::vector<nlohmann::json> spans_;
  net::test::RunningServer server_{
      [this](const net::HttpRequest& request, const net::HttpResponder& responder) {
        const auto body = nlohmann::json::parse(request.body());
        for (const auto& span : body.at("resourceSpans")[0].at("scopeSpans")[0].at("spans")) {
          spans_.push_back(span);
        }
        responder.answer({.status = 200, .body = "{}"});
      }};
};

nlohmann::json only_one(const std::vector<nlohmann::json>& spans, const std::string& request_id,
                        const std::string& name) {
  std::vector<nlohmann::json> found;
  for (const auto& span : spans) {
    const bool is_it = request_id.empty() || contains(span.dump(), '"' + request_id + '"');
    if (is_it && span.at("name") == name) found.push_back(span);
  }
  EXPECT_EQ(found.size(), 1U) << name;
  return found.empty() ? nlohmann::json::object() : found[0];
}

TEST(MatchStory, reaches_a_collector_as_spans) {
  Collector collector;
  LocalCluster cluster{debugged, [&](auto& config, support::Part part, std::size_t) {
                         if (part != support::Part::master) return;
                         config["tracing"] = {{"otlp_endpoint", collector.endpoint()}};
                       }};
  cluster.start();
  ASSERT_THAT(answer_to(cluster, "ann", "story-1"), ::testing::StartsWith("HTTP/1.1 200 "));
  ASSERT_THAT(answer_to(cluster, "bob", "story-2", false), ::testing::StartsWith("HTTP/1.1 200 "));
  wait_until("the spans arrive", [&] { return collector.spans().size() >= 3; });
  const auto spans = collector.spans();
  EXPECT_EQ(spans.size(), 3U);

  const auto match = only_one(spans, "story-1", "POST /v1/match");
  EXPECT_EQ(match.value("traceId", ""), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(match.value("parentSpanId", ""), "b7ad6b7169203331");
  const auto order = only_one(spans, "", "order room");
  EXPECT_EQ(order.value("traceId", ""), match.value("traceId", ""));
  EXPECT_EQ(order.value("parentSpanId", ""), match.value("spanId", "-"));
  const auto games = cluster.games(0);
  ASSERT_EQ(games.size(), 1U);
  EXPECT_EQ(support::environment_of(games[0])["TRACEPARENT"],
            "00-0af7651916cd43dd8448eb211c80319c-" + match.value("spanId", "") + "-01");

  const auto other = only_one(spans, "story-2", "POST /v1/match");
  EXPECT_NE(other.value("traceId", ""), match.value("traceId", ""));
  EXPECT_FALSE(other.contains("parentSpanId")) << "it begins a trace";
  EXPECT_THAT(cluster.master(0).log(),
              HasSubstr("request=story-2 trace=" + other.value("traceId", "-")));

  wait_until("the spans are counted", [&] {
    return support::get_metric(cluster.admin(0), "master_spans_exported_total") >= 3;
  });
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
