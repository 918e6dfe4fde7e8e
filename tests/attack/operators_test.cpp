// Players, and strangers, at what is meant for operators: real nodes, every route of theirs.
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>

#include "tests/attack/certified.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/local_cluster.hpp"
#include "tests/unit/common/net/http/https_client.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::attack {
namespace {

using support::LocalCluster;
using support::Part;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* operators_token = "what operators of this test say";

// Where each is served, beside /healthz and /readyz, which every listener has, for everybody.
const std::vector<std::string> for_operators{
    "/v1/rooms", "/v1/workers", "/v1/masters", "/v1/locks", "/v1/events", "/v1/node", "/metrics"};
const std::vector<std::string> done_at_a_master{"/v1/rooms/w1-1-1/drain", "/v1/rooms/w1-1-1/close",
                                                "/v1/workers/w1/drain", "/v1/workers/w1/resume"};
const std::vector<std::string> at_a_worker{"/metrics", "/v1/events", "/v1/node"};
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

std::string order(std::uint16_t port, const std::string& path, const std::string& fields = "") {
  return send_head(port, "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields);
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
          config["identity"]["open"] = "anybody-may-name-any-player";
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
    for (const auto& path : done_at_a_master) {
      EXPECT_THAT(order(port, path, right_token()), StartsWith("HTTP/1.1 404 ")) << path;
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
                AnyOf(StartsWith("HTTP/1.1 401 "), StartsWith("HTTP/1.1 429 ")))
        << path;
    if (path == "/v1/events") path += "?after=0";
    EXPECT_THAT(look(admin(1), path, right_token()), StartsWith("HTTP/1.1 200 ")) << path;
  }
  for (const auto& path : done_at_a_master) {
    EXPECT_THAT(order(admin(1), path), StartsWith("HTTP/1.1 401 ")) << path;
  }
  EXPECT_THAT(look(admin(1), "/v1/rooms/w1-1-1/log"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(order(admin(1), "/v1/workers/w1/drain", right_token()), StartsWith("HTTP/1.1 202 "));
  EXPECT_THAT(look(admin(1), "/v1/drain"), StartsWith("HTTP/1.1 401 "))
      << "nobody learns what there is";
  EXPECT_THAT(look(admin(1), "/v1/rooms"), HasSubstr("\r\nWWW-Authenticate: Bearer realm="));
}

TEST_F(OperatorsSide, is_reached_beside_those_who_hold_connections_to_it) {
  for (const auto port : {admin(0), admin(1), worker()}) {
    std::vector<std::unique_ptr<net::test::Client>> held;
    for (int i = 0; i < 300; ++i) {
      held.push_back(
          std::make_unique<net::test::Client>(port, i % 2 == 0 ? "127.0.0.2" : "127.0.0.3"));
    }
    EXPECT_THAT(look(port, "/readyz", right_token()), StartsWith("HTTP/1.1 200 "));
  }
}

TEST_F(OperatorsSide, tells_everybody_whether_its_node_is_well) {
  for (const auto port : {admin(0), admin(1), worker()}) {
    for (const char* path : {"/healthz", "/readyz"}) {
      EXPECT_THAT(look(port, path), StartsWith("HTTP/1.1 200 ")) << path;
      EXPECT_THAT(look(port, path, "Authorization: Bearer guessed\r\n"),
                  StartsWith("HTTP/1.1 200 "))
          << path << " is no place to guess";
    }
  }
}

TEST_F(OperatorsSide, of_a_worker_wants_its_token_for_everything) {
  for (const auto& path : at_a_worker) {
    EXPECT_THAT(look(worker(), path), StartsWith("HTTP/1.1 401 ")) << path;
    EXPECT_THAT(look(worker(), path, right_token()), StartsWith("HTTP/1.1 200 ")) << path;
  }
  for (const auto& path : done_at_a_worker) {
    EXPECT_THAT(order(worker(), path), StartsWith("HTTP/1.1 401 ")) << path;
  }
  EXPECT_THAT(look(worker(), "/readyz", right_token()), StartsWith("HTTP/1.1 200 "))
      << "nobody has drained it";
  EXPECT_THAT(order(worker(), "/v1/drain", right_token()), StartsWith("HTTP/1.1 202 "));
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
  for (const auto& path : done_at_a_master) {
    EXPECT_THAT(order(admin(0), path, "Origin: https://evil.example\r\n"),
                StartsWith("HTTP/1.1 403 "))
        << path;
  }
}

// The second master hears clients that show a certificate of its operators, and no others.
struct OperatorsWithCertificates : testing::Test {
  OperatorsWithCertificates() {
    cluster.start();
    operators.certify("operators");
    strangers.certify("operators");
    EXPECT_EQ(cluster.master(1).terminate(support::condition_limit), "exit code 0");
    cluster.master(1).start(config());
    support::wait_until("the second master is ready",
                        [&] { return ask("/readyz", &operators).starts_with("HTTP/1.1 200 "); });
  }
  [[nodiscard]] nlohmann::json config() const {
    auto made = cluster.config(Part::master, 1);
    made["admin"].update({{"address", "0.0.0.0"},
                          {"tls",
                           {{"certificate", (operators.folder / "m1.pem").string()},
                            {"key", (operators.folder / "m1.key").string()},
                            {"clients", (operators.folder / "authority.pem").string()},
                            {"revoked", (operators.folder / "revoked.crl").string()}}}});
    return made;
  }
  // Empty: it was not heard. `who` shows the certificate of m2 there; null: none.
  [[nodiscard]] std::string ask(const std::string& path, const Certified* who,
                                const std::string& fields = "") const try {
    net::test::TlsSetup setup;
    if (who != nullptr) {
      setup.certificate = (who->folder / "m2.pem").string();
      setup.key = (who->folder / "m2.key").string();
    }
    net::test::HttpsClient client{cluster.admin(1).port,
                                  (operators.folder / "authority.pem").string(), setup};
    client.send("GET " + path + " HTTP/1.1\r\nHost: m2.example\r\n" + fields +
                "Connection: close\r\n\r\n");
    return client.read_answer();
  } catch (const boost::system::system_error&) { return ""; }

  Certified operators;
  Certified strangers;
  LocalCluster cluster{{.masters = 2, .workers = 1}};
};

TEST_F(OperatorsWithCertificates, are_heard_without_a_token_and_nobody_else_is) {
  for (auto path : for_operators) {
    if (path == "/v1/events") path += "?after=0";
    EXPECT_THAT(ask(path, &operators), StartsWith("HTTP/1.1 200 ")) << path;
    EXPECT_EQ(ask(path, &strangers), "") << path;
    EXPECT_EQ(ask(path, nullptr), "") << path;
  }
  EXPECT_THAT(ask("/v1/rooms", &operators, "Origin: https://evil.example\r\n"),
              StartsWith("HTTP/1.1 403 "))
      << "a browser shows the certificate whoever asks it to";
}

TEST_F(OperatorsWithCertificates, are_not_heard_any_more_once_theirs_is_revoked) {
  for (const char* file : {"m2.pem", "m2.key"}) {  // it was stolen
    std::filesystem::copy_file(operators.folder / file, strangers.folder / file,
                               std::filesystem::copy_options::overwrite_existing);
  }
  EXPECT_THAT(ask("/v1/rooms", &strangers), StartsWith("HTTP/1.1 200 "));
  const certs::CertificateFolder made{operators.folder.path()};
  const auto authority = made.authority();
  ASSERT_EQ(std::get<std::size_t>(made.revoke(std::get<certs::Authority>(authority), "m2")), 1U);
  cluster.master(1).signal(SIGHUP);
  support::wait_until("it is not heard", [&] { return ask("/v1/rooms", &strangers).empty(); });
  ASSERT_EQ(made.add_node(std::get<certs::Authority>(authority), net::Role::master, "m2",
                          std::chrono::days{20}, false),
            "");
  EXPECT_THAT(ask("/v1/rooms", &operators), StartsWith("HTTP/1.1 200 ")) << "with another one";
}

TEST_F(OperatorsWithCertificates, show_them_until_the_next_start_whatever_is_read_again) {
  auto changed = config();
  changed["admin"]["tls"].erase("clients");
  changed["admin"]["tls"].erase("revoked");
  changed["admin"]["token"] = operators_token;
  std::ofstream{cluster.master(1).config_file()} << changed.dump(2);
  cluster.master(1).signal(SIGHUP);
  support::wait_until("the log says so", [&] {
    return integration::contains(cluster.master(1).log(), "changes with a restart only");
  });
  EXPECT_EQ(ask("/v1/rooms", nullptr), "");
  EXPECT_THAT(ask("/v1/rooms", &operators), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace fixkeep::attack
