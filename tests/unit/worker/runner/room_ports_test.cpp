// Which ports a room gets, and how many rooms there are ports for.
#include "worker/runner/room_ports.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <vector>

namespace fixkeep::worker {
namespace {

using wire::NamedPort;
using Named = std::vector<NamedPort>;

const WantedPorts plain{};
const WantedPorts named{{"query", "rcon"}};
const WantedPorts in_a_row{{"query", "port+1", "port+2"}, 2};
constexpr TimePoint now{std::chrono::seconds{1000}};

RoomNumber room(std::uint32_t number) {
  return RoomNumber{number};
}

class RoomPortsTest : public testing::Test {
 protected:
  std::set<std::uint16_t> strangers;
  Named taken(std::uint32_t number, const WantedPorts& wanted) {
    const wire::RoomPlace* const place = ports.take(room(number), wanted, now);
    return place == nullptr ? Named{} : place->ports;
  }
  RoomPorts ports{100, 103, [this](std::uint16_t port) { return !strangers.contains(port); }};
};

TEST_F(RoomPortsTest, those_of_strangers_are_skipped_and_looked_at_again) {
  strangers = {100, 101, 102};
  EXPECT_EQ(taken(1, plain), (Named{{"default", 103}}));
  EXPECT_EQ(ports.places(), 0U);
  EXPECT_TRUE(taken(2, plain).empty());
  strangers.clear();
  const auto later = ports.next_tick();
  EXPECT_EQ(later, now + std::chrono::seconds{30});
  ports.tick(later);
  EXPECT_EQ(ports.places(), 3U);
  EXPECT_EQ(ports.take(room(3), plain, later)->port(), 100);
}

TEST_F(RoomPortsTest, a_room_of_several_gets_all_or_none) {
  ports.count_for({plain, named});
  EXPECT_EQ(ports.places(), 1U);
  EXPECT_EQ(taken(1, named), (Named{{"default", 100}, {"query", 101}, {"rcon", 102}}));
  EXPECT_EQ(ports.places(), 0U);
  EXPECT_TRUE(taken(2, named).empty());
  EXPECT_NE(ports.take(room(2), plain, now), nullptr) << "those that were too few are free";
  EXPECT_TRUE(ports.give_back(room(2)));
  EXPECT_TRUE(ports.give_back(room(1)));
  EXPECT_FALSE(ports.give_back(room(1))) << "it has none any more";
  EXPECT_EQ(ports.places(), 1U);
  EXPECT_NE(ports.take(room(3), named, now), nullptr);
}

TEST_F(RoomPortsTest, those_with_a_name_stand_before_those_behind_the_first) {
  EXPECT_EQ(taken(1, in_a_row),
            (Named{{"default", 100}, {"query", 103}, {"port+1", 101}, {"port+2", 102}}));
}

TEST_F(RoomPortsTest, a_room_whose_game_takes_the_next_port_has_it_too) {
  const WantedPorts next{{"port+1"}, 1};
  ports.count_for({next});
  EXPECT_EQ(ports.places(), 2U);
  for (std::uint32_t i = 1; i <= 3; ++i) ASSERT_NE(ports.take(room(i), plain, now), nullptr);
  ports.give_back(room(1));
  EXPECT_EQ(ports.places(), 0U) << "103 and 100 are free";
  EXPECT_TRUE(taken(4, next).empty());
  ports.give_back(room(2));
  EXPECT_EQ(ports.places(), 1U);
  EXPECT_EQ(taken(4, next), (Named{{"default", 100}, {"port+1", 101}}));
}

TEST_F(RoomPortsTest, a_port_is_reused_as_late_as_possible) {
  std::vector<std::uint16_t> numbers;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    for (const NamedPort& port : taken(i, plain)) numbers.push_back(port.number);
    ports.give_back(room(i));
  }
  EXPECT_EQ(numbers, (std::vector<std::uint16_t>{100, 101, 102, 103, 100}));
}

TEST_F(RoomPortsTest, those_of_rooms_of_an_earlier_run_are_theirs) {
  const wire::RoomPlace before{"", {{"default", 100}, {"query", 102}, {"rcon", 9}}};
  EXPECT_EQ(ports.claim(room(1), named, before), before);
  EXPECT_EQ(ports.places(), 2U);
  EXPECT_EQ(taken(2, plain), (Named{{"default", 101}}));
  EXPECT_EQ(taken(3, plain), (Named{{"default", 103}}));
  EXPECT_TRUE(taken(4, plain).empty());
  ports.give_back(room(1));
  EXPECT_EQ(taken(4, plain), (Named{{"default", 100}}));
  EXPECT_EQ(taken(5, plain), (Named{{"default", 102}}));
  EXPECT_TRUE(taken(6, plain).empty()) << "9 is not of the range";
}

TEST_F(RoomPortsTest, those_that_an_earlier_version_has_noted_are_named) {
  EXPECT_EQ(ports.claim(room(1), named, {"", {{"default", 100}, {"2", 101}, {"3", 102}}}).ports,
            (Named{{"default", 100}, {"query", 101}, {"rcon", 102}}));
  EXPECT_EQ(ports.claim(room(2), plain, {"", {{"default", 103}, {"2", 104}}}).ports,
            (Named{{"default", 103}, {"2", 104}}))
      << "its game has no name for it any more";
}

}  // namespace
}  // namespace fixkeep::worker
