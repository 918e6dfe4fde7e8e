// Rooms that come and go for a long time leave nothing behind: no process, control group, port,
// descriptor, file or memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

namespace fs = std::filesystem;
using support::LocalCluster;
using support::Part;
using support::Players;

constexpr std::size_t at_a_time = 200;
#ifdef FIXKEEP_SANITIZED
constexpr int rounds = 4;
constexpr std::size_t more_memory = 1U << 20U;  // kB: what is freed is kept for a while
#else
constexpr int rounds = 20;
constexpr std::size_t more_memory = 4096;
#endif

std::size_t entries_of(const fs::path& folder) {
  const fs::directory_iterator entries{folder};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::size_t descriptors_of(pid_t process) {
  return entries_of("/proc/" + std::to_string(process) + "/fd");
}

// Kilobytes.
std::size_t memory_of(pid_t process) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/statm"};
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * 4;
}

// The control groups of rooms that run now are added.
void add_cgroups(const fs::path& rooms, std::set<std::string>& all) {
  std::vector<std::string> starts;
  std::ifstream record{rooms.parent_path() / "cgroups"};
  for (std::string start; std::getline(record, start);) starts.push_back(start);
  for (const auto& room : fs::directory_iterator{rooms}) {
    for (const auto& start : starts) {
      const auto folder = start + room.path().filename().string();
      if (fs::exists(folder)) all.insert(folder);
    }
  }
}

TEST(ManyRooms, that_come_and_go_twenty_times_leave_nothing) {
  LocalCluster cluster{{.masters = 1,
                        .workers = 1,
                        .capacity = 1,
                        .boot_ms = 0,
                        .reservation_ms = 120'000,  // on a slow machine 200 games take their time
                        .close_empty_after_ms = 0},
                       [](LocalCluster::Config& config, Part part, std::size_t) {
                         if (part == Part::worker) config["rooms"]["outlive_worker_ms"] = 60'000;
                       }};
  cluster.start();
  const pid_t worker = cluster.worker(0).pid();
  const auto state = cluster.worker(0).config_file().parent_path() / "state-w1";
  const auto before = process::children_of(worker);
  const auto descriptors = descriptors_of(worker);
  std::size_t memory = 0;
  std::set<std::string> cgroups;
  for (int round = 1; round <= rounds; ++round) {
    Players players{{.masters = cluster.masters()}};
    players.add_burst(at_a_time, 4);
    players.run_until_decided();
    ASSERT_EQ(players.inside(), at_a_time) << "round " << round << "\n" << players.failures();
    add_cgroups(state / "rooms", cgroups);
    players.hang_up();
    support::wait_until("all rooms are gone", [&] { return cluster.rooms(0).empty(); });
    support::wait_until("all processes are gone",
                        [&] { return process::descendants_of(worker) == before; });
    if (round == rounds / 2) memory = memory_of(worker);
  }
  EXPECT_EQ(process::children_of(worker), before) << "its starter, and not even a zombie";
  // A process is gone first, then what its worker had for it.
  support::wait_until("what was kept of rooms is gone",
                      [&] { return fs::is_empty(state / "rooms"); });
  if (contains(cluster.worker(0).log(), "each room has a control group of its own")) {
    EXPECT_GE(cgroups.size(), at_a_time * rounds);
  }
  support::wait_until("their control groups are gone", [&] {
    return std::none_of(cgroups.begin(), cgroups.end(),
                        [](const std::string& each) { return fs::exists(each); });
  });
  support::wait_until("the worker's descriptors are closed",
                      [&] { return descriptors_of(worker) <= descriptors + 2; });
  EXPECT_LT(memory_of(worker), memory + more_memory) << "kB, more than after half of the rounds";
  EXPECT_LE(entries_of(state / "output"), 400U);
  EXPECT_EQ(cluster.rooms_started(0), at_a_time * rounds);
  EXPECT_EQ(cluster.workers(0).at(0).at("headroom"), cluster.workers(0).at(0).at("room_limit"));
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
