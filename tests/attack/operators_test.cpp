// Players, and strangers, at what is meant for operators: real nodes, every route of theirs.
#include <gmock/gmock.h>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/local_cluster.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::attack {
namespace {

using support::LocalCluster;
using support::Part;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* operators_token = "what operators of this test say";

// Where each is served, beside /healthz and /readyz, which both listeners of a master have.
const std::vector<std::string> for_operators{"/v1/rooms", "/v1/workers", "/v1/masters",
                                             "/v1/locks", "/v1/events",  "/metrics"};
const std::vector<std::string> at_a_worker{"/healthz", "/readyz", "/metrics", "/v1/events"};
const std::vector<std::string> done_at_a_worker{"/v1/drain", "/v1/resume", "/v1/modes/duel/drain",
                                                "/v1/modes/duel/resume", "/v1/rooms/w1-1-1/drain"};

std::string send_head(std::uint16_t port, const std::string& head) {
  net::test::Client client{port};
  client.send(head + "Connection: close\r\n\r\n");
  return client.read_answer();
}
std::string look(std::uint16_t port, const std::string& path, const std::string& fields = "") {
  return send_head(port, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields);
}

std::string right_token() {
  return "Authorization: Bearer " + std::string{operators_token} + "\r\n";
}

// The first master has a listener for operators, the second and the worker a token for it as well,
// the third neither. Its listener for players is everybody's, as where players come from elsewhere.
struct OperatorsSide : testing::Test {
  OperatorsSide() { cluster.start(); }
  [[nodiscard]] std::uint16_t admin(std::size_t master) const { return cluster.admin(master).port; }
  [[nodiscard]] std::uint16_t worker() const { return cluster.worker_admin(0).port; }

  LocalCluster cluster{
      {.masters = 3, .workers = 1}, [](nlohmann::json& config, Part part, std::size_t index) {
        if (part == Part::master) {
          config["http"]["address"] = index == 2 ? "0.0.0.0" : "127.0.0.1";
          if (index == 0) return;
          if (index == 2) return void(config["admin"]["port"] = 0);
        }
        config["admin"].update({{"address", "0.0.0.0"}, {"token", operators_token}});
      }};
};

TEST_F(OperatorsSide, is_not_where_players_ask) {
  for (const std::size_t master : {0U, 1U, 2U}) {
    const auto port = cluster.http(master).port;
    EXPECT_THAT(look(port, "/readyz"), StartsWith("HTTP/1.1 200 ")) << "m" << master + 1;
    for (const auto& path : for_operators) {
      const auto answer = look(port, path, right_token());
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 ")) << "m" << master + 1 << path;
    }
    const auto match = support::post(cluster.http(master), "/v1/match", "{}");
    ASSERT_TRUE(match);
    EXPECT_EQ(match->status, 400U);
  }
}

TEST_F(OperatorsSide, wants_its_token_for_everything) {
  for (auto path : for_operators) {
    EXPECT_THAT(look(admin(1), path), StartsWith("HTTP/1.1 401 ")) << path;
    EXPECT_THAT(look(admin(1), path, "Authorization: Bearer guessed\r\n"),
                StartsWith("HTTP/1.1 401 "))
        << path;
    if (path == "/v1/events") path += "?after=0";
    EXPECT_THAT(look(admin(1), path, right_token()), StartsWith("HTTP/1.1 200 ")) << path;
  }
  EXPECT_THAT(look(admin(1), "/v1/drain"), StartsWith("HTTP/1.1 401 "))
      << "nobody learns what there is";
  EXPECT_THAT(look(admin(1), "/v1/rooms"), HasSubstr("\r\nWWW-Authenticate: Bearer realm="));
}

TEST_F(OperatorsSide, of_a_worker_wants_its_token_for_everything) {
  const auto order = [&](const std::string& path, const std::string& fields) {
    return send_head(worker(), "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields);
  };
  for (const auto& path : at_a_worker) {
    EXPECT_THAT(look(worker(), path), StartsWith("HTTP/1.1 401 ")) << path;
    EXPECT_THAT(look(worker(), path, right_token()), StartsWith("HTTP/1.1 200 ")) << path;
  }
  for (const auto& path : done_at_a_worker) {
    EXPECT_THAT(order(path, ""), StartsWith("HTTP/1.1 401 ")) << path;
  }
  EXPECT_THAT(look(worker(), "/readyz", right_token()), StartsWith("HTTP/1.1 200 "))
      << "nobody has drained it";
  EXPECT_THAT(order("/v1/drain", right_token()), StartsWith("HTTP/1.1 202 "));
}

TEST_F(OperatorsSide, without_a_token_does_not_answer_pages_of_strangers) {
  for (const auto& path : for_operators) {
    EXPECT_THAT(look(admin(0), path), StartsWith("HTTP/1.1 200 ")) << path;
    EXPECT_THAT(look(admin(0), path, "Origin: https://evil.example\r\n"),
                StartsWith("HTTP/1.1 403 "))
        << path;
    EXPECT_THAT(send_head(admin(0), "GET " + path + " HTTP/1.1\r\nHost: evil.example\r\n"),
                StartsWith("HTTP/1.1 403 "))
        << path;
  }
}

}  // namespace
}  // namespace fixkeep::attack
