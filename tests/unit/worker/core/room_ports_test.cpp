// Which ports a room gets, and how many rooms there are ports for.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

TEST(RoomPorts, those_of_strangers_are_skipped_and_looked_at_again) {
  RoomHostOptions options = small_options();
  std::set<std::uint16_t> strangers{100, 101, 102};
  options.port_is_usable = [&](std::uint16_t port) { return !strangers.contains(port); };
  Driver driver{options};
  driver.step(MasterConnected{m1});
  EXPECT_EQ(driver.spawn(m1, 1).room.port, 103);
  EXPECT_EQ(driver.host.headroom(), 0U);
  EXPECT_EQ(driver.spawn(m1, 2).outcome, wire::SpawnOutcome::no_capacity);
  strangers.clear();
  driver.pass(seconds{30});
  EXPECT_EQ(driver.host.headroom(), 2U) << "the limit of rooms";
  EXPECT_EQ(driver.spawn(m1, 3).room.port, 100);
}

TEST(RoomPorts, a_room_of_several_gets_all_or_is_not_made) {
  RoomHostOptions options = small_options();  // four ports
  options.modes[0].more_ports = 2;
  Driver driver{options};
  driver.step(MasterConnected{m1});
  EXPECT_EQ(driver.host.headroom(), 1U);
  Actions out = driver.say(m1, wire::SpawnRoom{.request = 1,
                                               .group = duel,
                                               .mode = ModeName{"duel"},
                                               .creation = {{1, m1}, 0, {}},
                                               .basis = {},
                                               .capacity = 2,
                                               .claims = {}});
  const auto started = all<StartProcess>(out);
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started[0].port, 100);
  EXPECT_EQ(started[0].more_ports, (std::vector<std::uint16_t>{101, 102}));
  EXPECT_EQ(driver.spawn(m1, 2).outcome, wire::SpawnOutcome::no_capacity);
  driver.step(ProcessExited{started[0].room, "exit code 0"});
  driver.batch();
  EXPECT_EQ(driver.spawn(m1, 3).outcome, wire::SpawnOutcome::accepted) << "all came back";
}

TEST(RoomPorts, a_room_whose_game_takes_the_next_port_has_it_too) {
  RoomHostOptions options = small_options();  // four ports
  options.room_limit = 10;
  options.modes[0].more_ports = 1;
  options.modes[0].neighbour_ports = 1;
  Driver driver{options};
  driver.step(MasterConnected{m1});
  EXPECT_EQ(driver.host.headroom(), 2U);
  std::vector<RoomNumber> plain;
  for (std::uint64_t order = 1; order <= 3; ++order) {
    plain.push_back(driver.spawn(m1, order, 4, {}, brawl, "brawl").room.number);
  }
  driver.step(ProcessExited{plain[0], "exit code 0"});
  EXPECT_EQ(driver.host.headroom(), 0U) << "103 and 100 are free";
  EXPECT_EQ(driver.spawn(m1, 4).outcome, wire::SpawnOutcome::no_capacity);
  driver.step(ProcessExited{plain[1], "exit code 0"});
  EXPECT_EQ(driver.host.headroom(), 1U);
  const Actions out = driver.say(m1, wire::SpawnRoom{.request = 1,
                                                     .group = duel,
                                                     .mode = ModeName{"duel"},
                                                     .creation = {{5, m1}, 0, {}},
                                                     .basis = {},
                                                     .capacity = 2,
                                                     .claims = {}});
  const auto started = all<StartProcess>(out);
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started[0].port, 100);
  EXPECT_EQ(started[0].more_ports, (std::vector<std::uint16_t>{101}));
}

TEST(RoomPorts, those_with_a_name_stand_before_those_behind_the_first) {
  RoomHostOptions options = small_options();
  options.modes[0].more_ports = 3;
  options.modes[0].neighbour_ports = 2;
  Driver driver{options};
  driver.step(MasterConnected{m1});
  const Actions out = driver.say(m1, wire::SpawnRoom{.request = 1,
                                                     .group = duel,
                                                     .mode = ModeName{"duel"},
                                                     .creation = {{1, m1}, 0, {}},
                                                     .basis = {},
                                                     .capacity = 2,
                                                     .claims = {}});
  const auto started = all<StartProcess>(out);
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started[0].port, 100);
  EXPECT_EQ(started[0].more_ports, (std::vector<std::uint16_t>{103, 101, 102}));
}

}  // namespace
}  // namespace fixkeep::worker
