// What else becomes of reservations is in tests/scenarios/cluster/worker_reservations.txt.
#include <gtest/gtest.h>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

TEST(Reserving, replies_and_news_say_when_a_room_opened_by_the_same_clock) {
  Driver driver;
  driver.step(MasterConnected{m1});
  const auto spawned = driver.spawn(m1, 1, 2, {1});
  driver.batch();
  EXPECT_EQ(spawned.room.opened_at, wire::WorkerTime{0});
  driver.pass(seconds{3});
  driver.step(ProcessReady{spawned.room.number});
  driver.pass(seconds{4});
  const auto reply = driver.seats(m1, spawned.room.number, claims({2}));
  EXPECT_EQ(reply.opened_at - spawned.granted_at, seconds{3});
  EXPECT_EQ(reply.granted_at - spawned.granted_at, seconds{7});
  EXPECT_EQ(driver.host.rooms().at(0).opened_at, reply.opened_at);
}

}  // namespace
}  // namespace fixkeep::worker
