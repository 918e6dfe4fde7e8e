// Of a game with seats until its exit only a look tells who plays.
#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using std::literals::operator""s;

struct ConnectedPlayers : testing::Test {
  ConnectedPlayers() : driver(untold()) {
    driver.step(MasterConnected{m1});
    driver.connected = true;
    room = driver.open_room(2, {1, 2});
    driver.pass(15s);  // their time to come is over, and somebody is connected
    EXPECT_EQ(occupied(), 2U);
  }
  static RoomHostOptions untold() {
    RoomHostOptions options = small_options();
    options.modes[0].seats = SeatRule::until_exit;
    return options;
  }
  [[nodiscard]] std::uint32_t occupied() const {
    return driver.host.rooms().empty() ? 0 : driver.host.rooms()[0].occupied;
  }
  void pass(int looks) {
    for (int i = 0; i < looks; ++i) driver.pass(10s);
  }
  Driver driver;
  RoomNumber room;
};

TEST_F(ConnectedPlayers, have_left_when_two_looks_see_nobody) {
  driver.connected = false;
  pass(1);
  EXPECT_EQ(occupied(), 2U) << "a client may connect anew";
  pass(1);
  EXPECT_EQ(occupied(), 0U);
  EXPECT_EQ(driver.seats(m1, room, claims({3})).granted.size(), 1U);
}

TEST_F(ConnectedPlayers, let_a_drain_end_when_they_have_left) {
  driver.step(DrainAsked{room, {}});
  pass(2);
  EXPECT_EQ(occupied(), 2U);
  driver.connected = false;
  pass(2);
  EXPECT_EQ(close_reason(driver.batch(), room), wire::CloseReason::drained);
}

TEST_F(ConnectedPlayers, stay_where_one_of_them_is_seen_in_between_or_nothing_can_be_seen) {
  for (int i = 0; i < 4; ++i) {
    driver.connected = i % 2 == 0;
    pass(1);
  }
  EXPECT_EQ(occupied(), 2U);
  driver.connected.reset();
  pass(10);
  EXPECT_EQ(occupied(), 2U);
}

}  // namespace
}  // namespace fixkeep::worker
