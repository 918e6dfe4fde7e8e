// Somebody on the wire between players and a master whose HTTP has a certificate, and readers of
// what nodes write down.
#include <gmock/gmock.h>

#include <csignal>

#include "tests/attack/certified.hpp"
#include "tests/attack/wire_tap.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/unit/common/net/http/https_client.hpp"

namespace fixkeep::attack {
namespace {

using net::test::HttpsClient;
using support::LocalCluster;
using support::Part;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The second master speaks HTTPS, as soon as the cluster is ready.
struct OnTheWayToPlayers : testing::Test {
  OnTheWayToPlayers() {
    cluster.start();
    certificates.certify("players");
    EXPECT_EQ(cluster.master(1).terminate(support::condition_limit), "exit code 0");
    auto config = cluster.config(Part::master, 1);
    config["http"]["tls"] = {{"certificate", (certificates.folder / "m1.pem").string()},
                             {"key", (certificates.folder / "m1.key").string()}};
    cluster.master(1).start(config);
    support::wait_until("the second master is ready", [&] { return is_ready(); });
  }
  [[nodiscard]] bool is_ready() const try {
    HttpsClient client{cluster.http(1).port, authority};
    client.send(net::test::get("/readyz"));
    return client.read_answer().starts_with("HTTP/1.1 200 ");
  } catch (const boost::system::system_error&) {
    return false;  // it does not listen yet
  }
  [[nodiscard]] static std::string ask(HttpsClient& client, const std::string& player) {
    const auto body = support::match_body(player, "eu");
    client.send(
        "POST /v1/match HTTP/1.1\r\nHost: m2\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.read_answer();
  }

  Certified certificates;
  const std::string authority = (certificates.folder / "authority.pem").string();
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 4, .boot_ms = 0}};
};

TEST_F(OnTheWayToPlayers, nobody_reads_requests_or_seat_tokens) {
  const WireTap tap{cluster.http(1).port};
  HttpsClient client{tap.port(), authority};
  const auto answer = ask(client, "a player with a name");
  ASSERT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  const auto seat = client_sim::parse_match_answer(answer.substr(answer.find("\r\n\r\n") + 4));
  ASSERT_TRUE(seat);
  EXPECT_EQ(support::join(*seat), "WELCOME");
  std::string said;
  for (const auto& each : tap.said()) said += each;
  EXPECT_GT(said.size(), 1000U);
  for (const std::string& secret :
       {seat->seat_token, std::string{"a player with a name"}, std::string{"HTTP/1.1"}}) {
    EXPECT_THAT(said, Not(HasSubstr(secret)));
  }
  integration::expect_clean_stop(cluster);
}

TEST_F(OnTheWayToPlayers, nobody_changes_a_bit) {
  WireTap tap{cluster.http(1).port};
  HttpsClient client{tap.port(), authority};
  ASSERT_THAT(ask(client, "before"), StartsWith("HTTP/1.1 200 "));
  tap.next(WireTap::Mischief::flip_a_bit);
  EXPECT_EQ(ask(client, "changed"), "") << "the connection ends";
  HttpsClient again{tap.port(), authority};
  EXPECT_THAT(ask(again, "after"), StartsWith("HTTP/1.1 200 "));
  integration::expect_clean_stop(cluster);
}

TEST_F(OnTheWayToPlayers, a_certificate_is_renewed_while_they_are_connected) {
  HttpsClient before{cluster.http(1).port, authority};
  ASSERT_THAT(ask(before, "p1"), StartsWith("HTTP/1.1 200 "));
  certificates.certify("players", true);
  cluster.master(1).signal(SIGHUP);
  support::wait_until("new connections get the new certificate", [&] {
    const HttpsClient after{cluster.http(1).port, authority};
    return after.is_welcome() && after.serial() != before.serial();
  });
  EXPECT_THAT(ask(before, "p2"), StartsWith("HTTP/1.1 200 "));
  HttpsClient after{cluster.http(1).port, authority};
  EXPECT_THAT(ask(after, "p3"), StartsWith("HTTP/1.1 200 "));
  EXPECT_GT(support::get_metric(cluster.admin(1), "http_certificate_expiry_timestamp_seconds"), 0);
  integration::expect_clean_stop(cluster);
}

TEST(ReadersOfLogs, find_no_secret_in_them) {
  const std::string password = "the password of a lock server";
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 4, .boot_ms = 0},
                       [&](LocalCluster::Config& config, Part part, std::size_t) {
                         config["log"]["level"] = "debug";
                         if (part == Part::master) config["lock"]["password"] = password;
                       }};
  cluster.start();
  const std::string secret = cluster.config(Part::master, 0)["cluster"]["secret"];
  const auto reply = support::ask_for_seat(cluster.http(0), "p", "eu");
  ASSERT_TRUE(reply);
  const auto seat = client_sim::parse_match_answer(reply->body);
  ASSERT_TRUE(seat);
  EXPECT_EQ(support::join(*seat), "WELCOME");
  cluster.master(0).signal(SIGHUP);
  cluster.worker(0).signal(SIGHUP);
  support::wait_until("both have read their configuration again", [&] {
    return integration::contains(cluster.master(0).log(), "configuration read again") &&
           integration::contains(cluster.worker(0).log(), "configuration read again");
  });
  integration::expect_clean_stop(cluster);
  const auto all = cluster.master(0).log() + cluster.master(1).log() + cluster.worker(0).log();
  EXPECT_THAT(all, HasSubstr("log_level=debug"));
  for (const std::string& hidden : {secret, password, seat->seat_token}) {
    ASSERT_FALSE(hidden.empty());
    EXPECT_THAT(all, Not(HasSubstr(hidden)));
  }
}

}  // namespace
}  // namespace fixkeep::attack
