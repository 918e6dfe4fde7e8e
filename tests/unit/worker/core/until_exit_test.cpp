// What becomes of the seats of a game that does not say who plays, and of its room.
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;

struct SeatsUntilExit : testing::Test {
  SeatsUntilExit() {
    RoomHostOptions options = small_options();
    options.modes[0].seats = SeatRule::until_exit;
    options.close_empty_after = seconds{60};
    options.somebody_is_connected = [this](RoomNumber) { return connected; };
    driver = std::make_unique<Driver>(options);
    for (const MasterId master : {m1, m2}) driver->step(MasterConnected{master});
  }
  [[nodiscard]] std::uint32_t taken() const {
    const auto rooms = driver->host.rooms();
    return rooms.empty() ? 0 : static_cast<std::uint32_t>(rooms[0].players.size());
  }
  // So much time passes as a worker lets pass, tick by tick.
  void pass(Duration duration) {
    for (Duration passed{}; passed < duration; passed += seconds{1}) driver->pass(seconds{1});
  }

  std::optional<bool> connected;  // none: nobody knows
  std::unique_ptr<Driver> driver;
};

TEST_F(SeatsUntilExit, stay_taken_where_nobody_knows_whether_their_players_came) {
  const auto room = driver->open_room(2, {1, 2});
  pass(seconds{3600});
  EXPECT_EQ(taken(), 2U);
  EXPECT_TRUE(driver->seats(m1, room, claims({3})).granted.empty());
}

TEST_F(SeatsUntilExit, stay_taken_for_a_day_at_most_where_nobody_knows) {
  const auto room = driver->open_room(2, {1});
  pass(seconds{3600});
  EXPECT_EQ(driver->seats(m1, room, claims({1})).granted.size(), 1U) << "asks for it again";
  pass(longest_untold_seat - seconds{60});
  EXPECT_EQ(taken(), 1U);
  pass(seconds{120});
  EXPECT_EQ(taken(), 0U);
  pass(seconds{60});
  EXPECT_EQ(close_reason(driver->batch(), room), CloseReason::empty);
}

TEST_F(SeatsUntilExit, stay_taken_if_somebody_was_connected_when_their_time_to_come_was_over) {
  connected = true;
  driver->open_room(2, {1});
  pass(seconds{20});
  connected = false;
  pass(seconds{3600});
  EXPECT_EQ(taken(), 1U) << "who left may come back, until the game ends";
}

TEST_F(SeatsUntilExit, lapse_if_nobody_is_connected_and_the_room_closes_as_one_nobody_came_to) {
  connected = false;
  const auto room = driver->open_room(2, {1});
  pass(seconds{14});
  EXPECT_EQ(taken(), 1U);
  pass(seconds{2});
  EXPECT_EQ(taken(), 0U);
  EXPECT_EQ(driver->host.counters().seats_lapsed, 1U);
  EXPECT_EQ(driver->seats(m1, room, claims({3})).granted.size(), 1U) << "it is another's now";
  pass(seconds{16});
  EXPECT_EQ(taken(), 0U);
  pass(seconds{10});
  EXPECT_EQ(close_reason(driver->batch(), room), CloseReason::empty);
}

TEST_F(SeatsUntilExit, are_not_known_of_who_came_late_and_their_room_stays) {
  connected = false;
  const auto room = driver->open_room(2, {1});
  pass(seconds{16});
  connected = true;  // without a seat
  pass(seconds{600});
  ASSERT_EQ(driver->host.rooms().size(), 1U);
  connected = false;
  pass(seconds{60});
  EXPECT_EQ(close_reason(driver->batch(), room), CloseReason::empty);
}

}  // namespace
}  // namespace fixkeep::worker
