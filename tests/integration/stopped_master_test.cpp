#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using support::LocalCluster;
using support::Part;
using support::Players;

// What the master that is stopped is waiting for.
enum class Awaited : std::uint8_t {
  promises,  // of the fence, with the lock: its orders come after the pause, if at all
  rooms,     // that it has ordered, and that are made while it sleeps; the lock is given on
};

class MasterStopped : public ::testing::TestWithParam<Awaited> {};

constexpr std::size_t master_count = 3;
constexpr std::size_t worker_count = 4;
constexpr std::size_t sleeper = 0;
constexpr auto pause = 10s;

bool holds_the_lock(const LocalCluster& cluster) {
  const auto report = support::get_json(cluster.admin(sleeper), "/v1/locks");
  if (report.is_null()) return false;
  for (const auto& lock : report.at("locks")) {
    if (lock.at("state") == "acquired") return true;
  }
  return false;
}

LocalCluster::Change settings_for(Awaited awaited) {
  return [awaited](LocalCluster::Config& config, Part part, std::size_t) {
    if (part == Part::master) {
      config["mesh"]["heartbeat_timeout_ms"] = 2500;
      config["lock"]["fence"] = awaited == Awaited::promises ? "always" : "on-change";
    } else {
      // The workers keep their links to the master that sleeps: what it says late does arrive.
      config["mesh"]["heartbeat_timeout_ms"] = 60'000;
    }
  };
}

// Leaves the sleeper stopped, and the workers' answers not yet heard.
void stop_while_it_waits(Awaited awaited, LocalCluster& cluster, Players& players) {
  const auto ordered = [&] {
    return support::get_metric(cluster.admin(sleeper), "master_rooms_ordered_total");
  };
  const double rooms_wanted = ordered() + 4;
  for (std::size_t index = 0; index < worker_count; ++index) cluster.worker(index).signal(SIGSTOP);
  if (awaited == Awaited::promises) {
    players.run_until("the master holds the lock", [&] { return holds_the_lock(cluster); });
  } else {
    players.run_until("its orders are out", [&] { return ordered() == rooms_wanted; });
    EXPECT_FALSE(holds_the_lock(cluster));
  }
  cluster.master(sleeper).signal(SIGSTOP);
  for (std::size_t index = 0; index < worker_count; ++index) cluster.worker(index).signal(SIGCONT);
}

TEST_P(MasterStopped, for_longer_than_any_lease_makes_no_duplicate_when_it_wakes) {
  LocalCluster cluster{{.masters = master_count,
                        .workers = worker_count,
                        .capacity = 8,
                        .boot_ms = 200,
                        .reservation_ms = 120'000},
                       settings_for(GetParam())};
  cluster.start();
  // A first room, so that the group's next orders need no fence unless every one does.
  Players early{{.masters = cluster.masters()}};
  for (int number = 0; number < 8; ++number) early.add("e" + std::to_string(number), "eu", sleeper);
  early.run_until_decided();
  expect_all_inside(early, 8);

  Players players{{.masters = cluster.masters(), .answer_limit = 2s}};
  for (int number = 0; number < 32; ++number) {
    players.add("p" + std::to_string(number), "eu", sleeper);
  }
  stop_while_it_waits(GetParam(), cluster, players);
  const auto asleep = std::chrono::steady_clock::now();
  players.run_until_decided();
  expect_all_inside(players, 8);
  EXPECT_EQ(rooms_of(players), 4U);
  // The pause is what is tested, so this waits for the clock.
  support::wait_until("the pause is over",
                      [&] { return std::chrono::steady_clock::now() - asleep >= pause; });
  cluster.master(sleeper).signal(SIGCONT);

  support::wait_until("it is one of the masters again", [&] {
    for (std::size_t master = 0; master < master_count; ++master) {
      const auto report = support::get_json(cluster.admin(master), "/v1/masters");
      if (report.is_null()) return false;
      for (const auto& row : report.at("masters")) {
        if (row.at("up") != true || row.at("joined") == false) return false;
      }
      if (cluster.workers(master).size() != worker_count) return false;
    }
    return true;
  });
  for (std::size_t master = 0; master < master_count; ++master) {
    EXPECT_EQ(cluster.rooms_started(master), 5U) << cluster.master(master).name();
  }
  for (std::size_t index = 0; index < worker_count; ++index) {
    EXPECT_FALSE(contains(cluster.worker(index).log(), "link down"))
        << "what the master said late could not have arrived";
  }
  // All rooms are full, so that this takes the lock, and an order that is carried out.
  const auto reply = support::ask_for_seat(cluster.http(sleeper), "late", "eu");
  ASSERT_TRUE(reply) << reply.error().message();
  ASSERT_EQ(reply->status, 200U) << reply->body;
  EXPECT_EQ(support::join(*client_sim::parse_match_answer(reply->body)), "WELCOME");
  for (std::size_t master = 0; master < master_count; ++master) {
    support::wait_until("every master knows of the new room",
                        [&] { return cluster.rooms_started(master) == 6U; });
  }
  players.hang_up();
  early.hang_up();
  expect_clean_stop(cluster);
}

INSTANTIATE_TEST_SUITE_P(WhileItWaits, MasterStopped,
                         ::testing::Values(Awaited::promises, Awaited::rooms),
                         [](const auto& about) {
                           return about.param == Awaited::promises ? "ForPromises" : "ForRooms";
                         });

}  // namespace
}  // namespace fixkeep::integration
