#include "master/core/directory/room_results.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

RoomId numbered_room(std::uint32_t number) {
  return {WorkerId{"w1"}, Incarnation{1}, RoomNumber{number}};
}

wire::RoomResult result_of(const std::string& match, std::uint64_t token, std::string value) {
  return {.group = wire::match_group_of(match),
          .creation = {{token, MasterId{1}}, 0, {}},
          .value = std::move(value)};
}

TEST(ResultsOfRooms, are_new_once_and_the_first_stays) {
  RoomResults results;
  EXPECT_TRUE(results.add(numbered_room(1), result_of("final", 1, "1")));
  EXPECT_FALSE(results.add(numbered_room(1), result_of("final", 1, "1")));
  EXPECT_FALSE(results.add(numbered_room(1), result_of("final", 1, "2")));
  EXPECT_EQ(results.of_match(wire::match_group_of("final"))->value, "1");
  EXPECT_EQ(results.of_match(wire::match_group_of("fina")), nullptr);
  EXPECT_EQ(results.of_match(wire::match_group_of("finals")), nullptr);
}

// Masters hear of the two rooms in any order, and show the same result.
TEST(ResultsOfRooms, of_twins_show_that_of_the_room_that_was_ordered_first) {
  RoomResults results;
  EXPECT_TRUE(results.add(numbered_room(2), result_of("final", 2, "2")));
  EXPECT_TRUE(results.add(numbered_room(1), result_of("final", 1, "1")));
  EXPECT_EQ(results.of_match(wire::match_group_of("final"))->value, "1");
}

TEST(ResultsOfRooms, have_a_bound_of_bytes_and_the_oldest_go_first) {
  RoomResults results;
  const std::string large(4096, '1');
  constexpr std::uint32_t many = 20'000;
  for (std::uint32_t i = 0; i < many; ++i) {
    EXPECT_TRUE(results.add(numbered_room(i), result_of(std::to_string(i), i, large)));
  }
  EXPECT_EQ(results.of_match(wire::match_group_of("0")), nullptr);
  EXPECT_NE(results.of_match(wire::match_group_of(std::to_string(many - 1))), nullptr);
  EXPECT_NE(results.of_match(wire::match_group_of(std::to_string(many - 15'000))), nullptr);
  EXPECT_EQ(results.of_match(wire::match_group_of(std::to_string(many - 16'000))), nullptr);
}

}  // namespace
}  // namespace fixkeep::master
