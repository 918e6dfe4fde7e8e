#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using support::LocalCluster;
using support::Players;

// The point of the burst at which the master dies.
enum class Moment : std::uint8_t { locking, booting };

class MasterKilled : public ::testing::TestWithParam<std::tuple<std::size_t, Moment>> {};

bool locks_are_busy(const LocalCluster& cluster, std::size_t master) {
  const auto report = support::get_json(cluster.admin(master), "/v1/locks");
  return !report.is_null() &&
         (!report.at("locks").empty() || report.at("statistics").at("acquisitions") > 0);
}

TEST_P(MasterKilled, during_a_burst_no_request_is_lost_and_no_room_made_twice) {
  // No structured binding: Clang 14, which looks at this, lets no lambda capture one.
  const auto victim = std::get<0>(GetParam());
  const auto moment = std::get<1>(GetParam());
  LocalCluster cluster{{.masters = 3, .workers = 4, .capacity = 8, .boot_ms = 800}};
  cluster.start();
  Players players{{.masters = cluster.masters()}};
  players.add_burst(96, 2);
  players.run_until("the master is at work", [&] {
    return moment == Moment::locking ? locks_are_busy(cluster, victim)
                                     : !cluster.rooms(victim).empty();
  });
  ASSERT_EQ(players.decided(), 0U) << "the burst was over before the master was killed";
  cluster.master(victim).kill();
  players.run_until_decided();

  expect_all_inside(players, 8);
  std::size_t asked_again = 0;
  for (const auto& player : players.all()) asked_again += player.asked > 1 ? 1 : 0;
  EXPECT_EQ(asked_again, 32U) << "those who had asked the killed master, and nobody else";
  EXPECT_EQ(rooms_of(players), 12U);
  for (std::size_t master = 0; master < 3; ++master) {
    if (master == victim) continue;
    EXPECT_EQ(cluster.rooms_started(master), 12U) << cluster.master(master).name();
  }
  players.hang_up();
  expect_clean_stop(cluster);
}

INSTANTIATE_TEST_SUITE_P(EachMaster, MasterKilled,
                         ::testing::Combine(::testing::Values(0U, 1U, 2U),
                                            ::testing::Values(Moment::locking, Moment::booting)),
                         [](const auto& about) {
                           const bool locking = std::get<1>(about.param) == Moment::locking;
                           return "m" + std::to_string(std::get<0>(about.param) + 1) +
                                  (locking ? "WhileLocking" : "WhileRoomsBoot");
                         });

TEST(Master, killed_and_started_again_serves_with_the_rooms_that_are_there) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .capacity = 8, .boot_ms = 0}};
  cluster.start();
  const auto before = support::ask_for_seat(cluster.http(0), "first", "eu");
  ASSERT_TRUE(before && before->status == 200);
  cluster.master(0).kill();
  cluster.master(0).start(cluster.config(support::Part::master, 0));
  cluster.wait_until_ready();
  const auto after = support::ask_for_seat(cluster.http(0), "second", "eu");
  ASSERT_TRUE(after && after->status == 200);
  EXPECT_EQ(client_sim::parse_match_answer(after->body)->room_id,
            client_sim::parse_match_answer(before->body)->room_id);
  EXPECT_EQ(cluster.rooms_started(0), 1U);
  expect_clean_stop(cluster);
}

TEST(Master, every_master_gives_a_player_the_same_seat) {
  LocalCluster cluster{{.masters = 3, .workers = 2, .capacity = 2, .boot_ms = 0}};
  cluster.start();
  std::vector<client_sim::MatchAnswer> seats;
  for (std::size_t master = 0; master < 3; ++master) {
    const auto reply = support::ask_for_seat(cluster.http(master), "anna", "eu");
    ASSERT_TRUE(reply) << reply.error().message();
    ASSERT_EQ(reply->status, 200U) << reply->body;
    seats.push_back(*client_sim::parse_match_answer(reply->body));
    EXPECT_EQ(seats.back().room_id, seats.front().room_id);
  }
  // Three answers, one seat: the room has another for somebody else.
  const auto reply = support::ask_for_seat(cluster.http(1), "bert", "eu");
  ASSERT_TRUE(reply && reply->status == 200);
  EXPECT_EQ(client_sim::parse_match_answer(reply->body)->room_id, seats.front().room_id);
  EXPECT_EQ(support::join(seats.back()), "WELCOME");
  EXPECT_EQ(cluster.rooms_started(0), 1U);
  expect_clean_stop(cluster);
}

TEST(Master, a_client_that_hangs_up_leaves_no_seat_behind) {
  LocalCluster cluster{{.masters = 2,
                        .workers = 1,
                        .capacity = 1,
                        .boot_ms = 1500,
                        .reservation_ms = 600'000,
                        .close_empty_after_ms = 600'000}};
  cluster.start();
  Players gone{{.masters = cluster.masters()}};
  gone.add("gone", "eu", 0);
  gone.run_until("the room has the seat", [&] {
    const auto rooms = cluster.rooms(1);
    return !rooms.empty() && rooms.front().at("reserved") == 1;
  });
  gone.hang_up();
  support::wait_until("the seat is free again", [&] {
    const auto rooms = cluster.rooms(1);
    return rooms.size() == 1 && rooms.front().at("reserved") == 0;
  });
  // It is really free: a room of one seat takes another player, asked for at the other master.
  const auto reply = support::ask_for_seat(cluster.http(1), "other", "eu");
  ASSERT_TRUE(reply) << reply.error().message();
  ASSERT_EQ(reply->status, 200U) << reply->body;
  EXPECT_EQ(support::join(*client_sim::parse_match_answer(reply->body)), "WELCOME");
  EXPECT_EQ(cluster.rooms_started(1), 1U);
  expect_clean_stop(cluster);
}

TEST(Master, asked_to_end_answers_those_who_wait) {
  LocalCluster cluster{{.masters = 2, .workers = 2, .capacity = 4, .boot_ms = 20'000}};
  cluster.start();
  Players players{{.masters = cluster.masters(), .attempts = 1}};
  for (int number = 0; number < 8; ++number) players.add("p" + std::to_string(number), "eu", 0);
  players.run_until("their rooms are starting", [&] {
    std::size_t reserved = 0;
    for (const auto& room : cluster.rooms(0)) reserved += room.at("reserved").get<std::size_t>();
    return reserved == 8;
  });
  cluster.master(0).signal(SIGTERM);
  players.run_until_decided();
  EXPECT_EQ(cluster.master(0).wait_for_end(10s), "exit code 0");
  for (const auto& player : players.all()) {
    EXPECT_EQ(player.status, 503U) << player.last_answer;
    EXPECT_EQ(problem_type(player.last_answer), "stopping");
  }
  players.hang_up();
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
