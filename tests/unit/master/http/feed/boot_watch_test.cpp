#include "master/http/feed/boot_watch.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;

const WorkerId the_worker{"w1"};

class BootWatchTest : public ::testing::Test {
 protected:
  BootWatchTest() {
    connect();
    (void)directory_.take_news();
  }

  void connect() {
    directory_.connect(the_worker, Incarnation{1});
    directory_.introduce(the_worker, {});
  }
  void start(std::uint32_t number) {
    wire::RoomInfo info;
    info.number = RoomNumber{number};
    info.place = wire::at_port(20'000);
    info.group = GroupKey{"duel/eu"};
    info.mode = ModeName{"duel"};
    info.capacity = 8;
    EXPECT_TRUE(directory_.put(the_worker, info));
  }
  void become(std::uint32_t number, wire::RoomPhase phase) {
    directory_.change({the_worker, Incarnation{1}, RoomNumber{number}},
                      {.number = RoomNumber{number}, .phase = phase});
  }
  void learn(milliseconds after) {
    now_ += after;
    watch_.note(directory_.take_news(), directory_, now_);
  }

  Directory directory_{Placement::roomiest};
  BootWatch watch_;
  TimePoint now_{std::chrono::hours{1}};
};

TEST_F(BootWatchTest, times_a_room_from_its_start_until_it_is_open) {
  learn(milliseconds{0});
  start(1);
  start(2);
  learn(milliseconds{1});
  become(1, wire::RoomPhase::open);
  learn(milliseconds{300});
  become(2, wire::RoomPhase::open);
  learn(milliseconds{200});
  EXPECT_EQ(watch_.times().count(), 2U);
  EXPECT_EQ(watch_.times().sum_us(), 800'000U);
  become(1, wire::RoomPhase::draining);
  learn(milliseconds{1});
  EXPECT_EQ(watch_.times().count(), 2U);
}

TEST_F(BootWatchTest, does_not_count_a_room_whose_start_it_has_not_seen) {
  start(1);
  learn(milliseconds{0});
  become(1, wire::RoomPhase::open);
  learn(milliseconds{300});
  EXPECT_EQ(watch_.times().count(), 0U);
}

TEST_F(BootWatchTest, does_not_count_boots_that_fail_or_are_called_off) {
  learn(milliseconds{0});
  start(1);
  start(2);
  learn(milliseconds{1});
  become(1, wire::RoomPhase::draining);
  directory_.remove({the_worker, Incarnation{1}, RoomNumber{2}});
  learn(milliseconds{300});
  EXPECT_EQ(watch_.times().count(), 0U);
}

TEST_F(BootWatchTest, forgets_a_room_that_goes_with_its_worker) {
  learn(milliseconds{0});
  start(1);
  learn(milliseconds{0});
  directory_.disconnect(the_worker);
  learn(milliseconds{100});
  connect();
  start(1);
  learn(milliseconds{100});
  become(1, wire::RoomPhase::open);
  learn(milliseconds{50});
  EXPECT_EQ(watch_.times().sum_us(), 50'000U);
}

}  // namespace
}  // namespace fixkeep::master
