// Players, and strangers, at what is meant for operators: real masters, every route of theirs.
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

// Where each is served, beside /healthz and /readyz, which both listeners have.
const std::vector<std::string> for_operators{"/v1/rooms", "/v1/workers", "/v1/masters",
                                             "/v1/locks", "/v1/events",  "/metrics"};

std::string send_head(std::uint16_t port, const std::string& head) {
  net::test::Client client{port};
  client.send(head + "Connection: close\r\n\r\n");
  return client.read_answer();
}
std::string look(std::uint16_t port, const std::string& path, const std::string& fields = "") {
  return send_head(port, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields);
}

// The listener for players is everybody's, as where players come from elsewhere.
struct OperatorsSide : testing::Test {
  OperatorsSide() {
    slot = *slots.take(1);
    cluster.start();
  }
  [[nodiscard]] std::uint16_t admin(std::size_t master) const {
    return static_cast<std::uint16_t>(slot.first + master);
  }

  client_sim::PortSlots slots;
  client_sim::PortRange slot;
  // The first has a listener for operators, the second a token for it as well, the third neither.
  LocalCluster cluster{
      {.masters = 3, .workers = 0}, [this](nlohmann::json& config, Part, std::size_t index) {
        config["http"]["address"] = index == 2 ? "0.0.0.0" : "127.0.0.1";
        if (index == 2) return;
        config["admin"] = {{"port", admin(index)}};
        if (index == 1)
          config["admin"].update({{"address", "0.0.0.0"}, {"token", operators_token}});
      }};
};

TEST_F(OperatorsSide, is_not_where_players_ask) {
  for (const std::size_t master : {0U, 1U, 2U}) {
    const auto port = cluster.http(master).port;
    EXPECT_THAT(look(port, "/readyz"), StartsWith("HTTP/1.1 200 ")) << "m" << master + 1;
    for (const auto& path : for_operators) {
      const auto answer =
          look(port, path, "Authorization: Bearer " + std::string{operators_token} + "\r\n");
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 ")) << "m" << master + 1 << path;
    }
    const auto match = support::post(cluster.http(master), "/v1/match", "{}");
    ASSERT_TRUE(match);
    EXPECT_EQ(match->status, 400U);
  }
}

TEST_F(OperatorsSide, wants_its_token_for_everything) {
  const std::string right = "Authorization: Bearer " + std::string{operators_token} + "\r\n";
  for (auto path : for_operators) {
    EXPECT_THAT(look(admin(1), path), StartsWith("HTTP/1.1 401 ")) << path;
    EXPECT_THAT(look(admin(1), path, "Authorization: Bearer guessed\r\n"),
                StartsWith("HTTP/1.1 401 "))
        << path;
    if (path == "/v1/events") path += "?after=0";
    EXPECT_THAT(look(admin(1), path, right), StartsWith("HTTP/1.1 200 ")) << path;
  }
  EXPECT_THAT(look(admin(1), "/v1/drain"), StartsWith("HTTP/1.1 401 "))
      << "nobody learns what there is";
  EXPECT_THAT(look(admin(1), "/v1/rooms"), HasSubstr("\r\nWWW-Authenticate: Bearer realm="));
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
