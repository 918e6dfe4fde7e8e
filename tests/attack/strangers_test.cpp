// Who has nothing of the cluster but the addresses of its ports.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <vector>

#include "tests/attack/liar.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/players.hpp"

namespace fixkeep::attack {
namespace {

using boost::asio::ip::tcp;
using integration::expect_clean_stop;
using support::LocalCluster;
using support::Part;
using support::Players;

TEST(Strangers, who_hold_connections_to_the_mesh_keep_no_worker_away) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0}};
  cluster.start();
  cluster.worker(0).kill();
  boost::asio::io_context context;
  std::vector<tcp::socket> held;
  const auto hold = [&] {
    auto& socket = held.emplace_back(context);
    boost::system::error_code ignored;
    socket.connect({boost::asio::ip::address_v4::loopback(), cluster.mesh(0).port}, ignored);
  };
  for (int i = 0; i < 300; ++i) hold();
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  // And they come again as fast as they are sent away.
  support::wait_until("the worker is there", [&] {
    for (int i = 0; i < 20; ++i) hold();
    if (held.size() > 2000) held.erase(held.begin(), held.begin() + 1000);
    return cluster.workers(0).size() == 1;
  });
  held.clear();
  const auto reply = support::ask_for_seat(cluster.http(0), "anna", "eu");
  EXPECT_TRUE(reply && reply->status == 200);
  expect_clean_stop(cluster);
}

TEST(Strangers, who_hold_connections_to_players_ports_leave_some_for_others) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part == Part::worker) return;
                         config["http"]["connections"] = 100;
                       }};
  cluster.start();
  boost::asio::io_context context;
  std::vector<tcp::socket> held;
  for (int i = 0; i < 400; ++i) {
    auto& socket = held.emplace_back(context, tcp::v4());
    socket.bind({boost::asio::ip::make_address(i % 2 == 0 ? "127.0.0.2" : "127.0.0.3"), 0});
    boost::system::error_code ignored;
    socket.connect({boost::asio::ip::address_v4::loopback(), cluster.http(0).port}, ignored);
  }
  const auto reply = support::ask_for_seat(cluster.http(0), "anna", "eu");
  EXPECT_TRUE(reply && reply->status == 200);
  held.clear();
  expect_clean_stop(cluster);
}

TEST(Strangers, who_guess_the_secret_of_the_mesh_are_refused_each_time) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0}};
  cluster.start();
  auto options = identity(cluster.config(Part::worker, 0), net::Role::worker, "w2");
  options.secret = "the secret of a cluster in a tesT";
  const Liar liar{options, {}, {{"m1", cluster.mesh(0).port}}};
  support::wait_until("it has tried often", [&] { return liar.times_refused() >= 20; });
  EXPECT_EQ(liar.times_met(), 0U);
  EXPECT_EQ(cluster.workers(0).size(), 1U);
  expect_clean_stop(cluster);
}

TEST(Strangers, who_play_a_master_that_nobody_has_configured_are_refused) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0}};
  cluster.start();
  auto options = identity(cluster.config(Part::worker, 0), net::Role::master, "m9");
  const Liar liar{options, {}, {{"m1", cluster.mesh(0).port}}};
  support::wait_until("it has tried often", [&] { return liar.times_refused() >= 5; });
  EXPECT_EQ(liar.times_met(), 0U);
  expect_clean_stop(cluster);
}

// --- on the port of players

constexpr std::size_t most = 8;

TEST(Strangers, who_let_many_requests_wait_are_told_to_come_back) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 20'000},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part != Part::master) return;
                         config["matching"]["waiting_requests_per_client"] = most;
                       }};
  cluster.start();
  Players players{{.masters = cluster.masters(), .attempts = 1}};
  players.add_burst(50, 10);
  players.run_until("all but a few are refused",
                    [&] { return players.decided() >= players.all().size() - most; });
  std::size_t refused = 0;
  for (const auto& player : players.all()) {
    if (player.status != 429) continue;
    ++refused;
    EXPECT_EQ(integration::problem_type(player.last_answer), "too-many-waiting");
  }
  EXPECT_EQ(refused, players.all().size() - most);
  EXPECT_TRUE(cluster.master(0).running());
  players.hang_up();
  support::wait_until("nobody waits any more", [&] {
    return support::get_metric(cluster.admin(0), "master_match_requests_waiting") == 0;
  });
  expect_clean_stop(cluster);
}

TEST(Strangers, who_ask_too_often_are_told_to_come_back) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part != Part::master) return;
                         config["matching"]["requests_per_client_per_s"] = 1;
                       }};
  cluster.start();
  std::size_t seated = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 30; ++i) {
    const auto reply = support::ask_for_seat(cluster.http(0), "p" + std::to_string(i), "eu");
    ASSERT_TRUE(reply);
    if (reply->status == 200) ++seated;
    if (reply->status != 429) continue;
    ++refused;
    EXPECT_EQ(integration::problem_type(reply->body), "too-many-requests");
  }
  EXPECT_GE(seated, 10U);
  EXPECT_GE(refused, 5U);
  EXPECT_EQ(seated + refused, 30U);
  expect_clean_stop(cluster);
}

// Each for a group of its own, whose room is open at once.
TEST(Strangers, who_have_many_rooms_started_are_told_to_come_back) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part != Part::master) return;
                         config["matching"]["rooms_per_client_per_minute"] = 2;
                       }};
  cluster.start();
  std::size_t seated = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "new" + std::to_string(i);
    const auto reply = support::ask_for_seat(cluster.http(0), name, name);
    ASSERT_TRUE(reply);
    if (reply->status == 200) ++seated;
    if (reply->status != 429) continue;
    ++refused;
    EXPECT_EQ(integration::problem_type(reply->body), "too-many-starting-rooms");
  }
  EXPECT_GE(seated, 4U);
  EXPECT_GE(refused, 1U);
  EXPECT_EQ(seated + refused, 8U);
  // A seat in a room that is there costs no room.
  const auto guest = support::ask_for_seat(cluster.http(0), "guest", "new0");
  ASSERT_TRUE(guest);
  EXPECT_EQ(guest->status, 200U);
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::attack
