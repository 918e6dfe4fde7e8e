// What a node says of itself and in its log when others are away, refuse it, or cannot serve it.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::LocalCluster;
using support::Part;

struct Readyz {
  unsigned status = 0;
  std::set<std::string> reasons;
  std::string body;
};

Readyz readyz(const client_sim::Endpoint& where) {
  const auto reply = support::get(where, "/readyz");
  if (!reply) return {};
  Readyz told{reply->status, {}, reply->body};
  const auto document = json::parse(reply->body, nullptr, false);
  if (!document.is_object() || !document.contains("reasons")) return told;
  for (const auto& reason : document.at("reasons")) told.reasons.insert(reason.at("reason"));
  return told;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Readyz, of_a_master_that_all_others_refuse_says_so_and_is_503_where_that_is_asked_for) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .boot_ms = 0},
                       [](json& config, Part part, std::size_t index) {
                         if (part != Part::master) return;
                         if (index == 0) return;
                         config["cluster"]["secret"] = "not the secret of this cluster";
                         config["http"]["ready_requires"] = {"mesh", "workers"};
                       }};
  for (std::size_t i = 0; i < 2; ++i) cluster.master(i).start(cluster.config(Part::master, i));
  support::wait_until("the stranger says that it is cut off and by whom", [&] {
    const auto told = readyz(cluster.admin(1));
    return told.status == 503 && told.reasons.contains("alone") &&
           !told.reasons.contains("joining") && contains(told.body, "link refused at 127.0.0.1:");
  });
  support::wait_until("the other one is ready, and says what it lacks", [&] {
    const auto told = readyz(cluster.http(0));
    return told.status == 200 &&
           told.reasons == std::set<std::string>{"alone", "master-away", "no-worker"};
  });
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  support::wait_until("the worker is no reason any more",
                      [&] { return !readyz(cluster.http(0)).reasons.contains("no-worker"); });
  expect_clean_stop(cluster);
}

// A stranger would take a seat at the open one.
TEST(Readyz, of_a_master_that_is_open_beside_one_that_is_not_is_503) {
  LocalCluster cluster{
      {.masters = 2, .workers = 0, .boot_ms = 0}, [](json& config, Part part, std::size_t index) {
        if (part != Part::master || index == 0) return;
        config["identity"]["keys"] = {{{"name", "back-end"}, {"hash", std::string(64, '0')}}};
      }};
  for (std::size_t i = 0; i < 2; ++i) cluster.master(i).start(cluster.config(Part::master, i));
  support::wait_until("the open one is not ready, and says why", [&] {
    const auto told = readyz(cluster.http(0));
    return told.status == 503 && told.reasons.contains("identity-differs");
  });
  support::wait_until("the other one is ready, and names the open one", [&] {
    const auto told = readyz(cluster.http(1));
    return told.status == 200 && told.reasons.contains("identity-differs") &&
           contains(told.body, "the other master is open");
  });
  expect_clean_stop(cluster);
}

TEST(Readyz, knows_whom_another_master_takes_once_that_has_read_its_configuration_again) {
  LocalCluster cluster{{.masters = 2, .workers = 0, .boot_ms = 0}};
  json configs[]{cluster.config(Part::master, 0), cluster.config(Part::master, 1)};
  for (std::size_t i = 0; i < 2; ++i) cluster.master(i).start(configs[i]);
  const auto differs = [&](std::size_t master, unsigned status) {
    const auto told = readyz(cluster.http(master));
    return told.status == status && told.reasons.contains("identity-differs");
  };
  const auto agrees = [&](std::size_t master) {
    const auto told = readyz(cluster.http(master));
    return told.status == 200 && !told.reasons.contains("identity-differs") &&
           !told.reasons.contains("master-away");
  };
  support::wait_until("both are open", [&] { return agrees(0) && agrees(1); });
  const auto want_keys = [&](std::size_t master) {
    configs[master]["identity"]["keys"] = {{{"name", "back-end"}, {"hash", std::string(64, '0')}}};
    std::ofstream{cluster.master(master).config_file()} << configs[master].dump(2);
    cluster.master(master).signal(SIGHUP);
  };
  want_keys(1);
  support::wait_until("the open one hears of it", [&] { return differs(0, 503); });
  support::wait_until("the other one is ready", [&] { return differs(1, 200); });
  want_keys(0);
  support::wait_until("both take the same", [&] { return agrees(0) && agrees(1); });
  expect_clean_stop(cluster);
}

TEST(Readyz, of_a_master_that_was_asked_to_end_is_503_while_it_serves_on) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0},
                       [](json& config, Part part, std::size_t) {
                         if (part == Part::master) config["http"]["stop_delay_ms"] = 600'000;
                       }};
  cluster.start();
  EXPECT_EQ(readyz(cluster.http(0)).status, 200U);
  cluster.master(0).signal(SIGTERM);
  support::wait_until("it says that it ends", [&] {
    const auto told = readyz(cluster.http(0));
    return told.status == 503 && told.reasons == std::set<std::string>{"stopping"};
  });
  const auto seated = support::ask_for_seat(cluster.http(0), "anna", "eu");
  ASSERT_TRUE(seated);
  EXPECT_EQ(seated->status, 200U) << seated->body;
  EXPECT_TRUE(cluster.master(0).running());
  // The second one: nobody waits for the balancer any more.
  EXPECT_EQ(cluster.master(0).terminate(support::condition_limit), "exit code 0");
  expect_clean_stop(cluster);
}

TEST(Readyz, of_a_master_that_was_asked_to_end_is_gone_after_the_delay) {
  LocalCluster cluster{{.masters = 1, .workers = 0, .boot_ms = 0},
                       [](json& config, Part part, std::size_t) {
                         if (part == Part::master) config["http"]["stop_delay_ms"] = 100;
                       }};
  cluster.start();
  EXPECT_EQ(cluster.master(0).terminate(support::condition_limit), "exit code 0");
  EXPECT_TRUE(contains(cluster.master(0).log(), "serving on, not ready any more"));
  expect_clean_stop(cluster);
}

// As a browser asks for a page of another origin.
TEST(Origins, that_are_allowed_ask_for_seats_and_never_as_operators) {
  const std::string page = "https://play.example";
  LocalCluster cluster{{.masters = 1, .workers = 0, .boot_ms = 0},
                       [&](json& config, Part part, std::size_t) {
                         if (part == Part::master) config["http"]["allowed_origins"] = {page};
                       }};
  cluster.start();
  const auto ask_for_leave = [&](const client_sim::Endpoint& where) {
    net::test::Client client{where.port};
    client.send("OPTIONS /v1/match HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: " + page +
                "\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n");
    return client.read_to_end();
  };
  const auto leave = ask_for_leave(cluster.http(0));
  EXPECT_TRUE(leave.starts_with("HTTP/1.1 204 ")) << leave;
  EXPECT_TRUE(contains(leave, "Access-Control-Allow-Origin: " + page + "\r\n")) << leave;
  const auto refused = ask_for_leave(cluster.admin(0));
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 403 ")) << refused;
  EXPECT_FALSE(contains(refused, "Access-Control")) << refused;
  expect_clean_stop(cluster);
}

TEST(NoCapacity, says_whether_there_is_no_worker_none_of_the_mode_or_only_full_ones) {
  LocalCluster cluster{{.masters = 1, .workers = 2, .boot_ms = 0},
                       [](json& config, Part part, std::size_t index) {
                         if (part != Part::worker) return;
                         if (index == 0) config["games"][0]["mode"] = "royale";
                         config["rooms"]["limit"] = 1;
                       }};
  const auto reason_for = [&](const std::string& region) {
    const auto reply = support::post(cluster.http(0), "/v1/match",
                                     json{{"player_id", "p-" + region},
                                          {"mode", "duel"},
                                          {"attributes", {{"region", region}}},
                                          {"wait_ms", 1500}}
                                         .dump());
    if (!reply || reply->status != 503) return std::string{"no 503"};
    EXPECT_EQ(problem_type(reply->body), "no-capacity") << reply->body;
    return json::parse(reply->body).value("reason", "none");
  };
  cluster.master(0).start(cluster.config(Part::master, 0));
  cluster.wait_until_ready();
  EXPECT_EQ(reason_for("a"), "no-worker");
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  cluster.wait_until_ready();
  EXPECT_EQ(reason_for("b"), "mode-unknown-to-workers");
  cluster.worker(1).start(cluster.config(Part::worker, 1));
  cluster.wait_until_ready();
  const auto seated = support::ask_for_seat(cluster.http(0), "anna", "eu");
  ASSERT_TRUE(seated);
  ASSERT_EQ(seated->status, 200U) << seated->body;
  EXPECT_EQ(reason_for("c"), "workers-full");
  expect_clean_stop(cluster);
}

TEST(Log, names_unreachable_peers_again_and_their_return) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .boot_ms = 0}};
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  cluster.master(1).start(cluster.config(Part::master, 1));
  const auto away = "unreachable peer=m1 address=127.0.0.1:" + std::to_string(cluster.mesh(0).port);
  support::wait_until("each says again that m1 is away", [&] {
    return count(cluster.worker(0).log(), away) >= 2 && count(cluster.master(1).log(), away) >= 2;
  });
  expect_logged(cluster.worker(0), "Connection refused");
  cluster.master(0).start(cluster.config(Part::master, 0));
  support::wait_until("both say that it is back", [&] {
    return contains(cluster.worker(0).log(), "link up peer=m1 after_attempts=") &&
           contains(cluster.master(1).log(), "link up peer=m1 after_attempts=");
  });
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
