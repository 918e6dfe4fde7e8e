// A master that was not scheduled for a while, and what had arrived meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "master/core/master_core.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

MasterOptions alone() {
  MasterOptions options;
  options.self = MasterId{1};
  options.await_workers = Duration{0};
  options.out_of_sight = Duration{0};
  return options;
}

// A worker that has connected, and has not said yet what it has.
struct HeldUp : testing::Test {
  HeldUp() { core.step(WorkerConnected{w, Incarnation{1}}, now, actions); }

  // A tick that comes so long after it was due.
  void late_tick(Duration late) {
    now = core.next_tick() + late;
    core.held_up(late);
    core.step(TimePassed{}, now, actions);
  }
  void says_what_it_has() {
    wire::WorkerState state;
    state.room_limit = 10;
    state.headroom = 10;
    state.modes.known = {ModeName{"duel"}};
    core.step(WorkerSaid{w, state}, now, actions);
  }
  [[nodiscard]] bool gave_up() const {
    return std::any_of(actions.begin(), actions.end(), [](const Action& each) {
      return std::holds_alternative<CloseWorkerLink>(each);
    });
  }

  const WorkerId w{"w"};
  TimePoint now{minutes{10}};
  Actions actions;
  LockOrders locks;
  MasterCore core{alone(), locks, now};
};

TEST_F(HeldUp, it_hears_what_has_arrived_before_it_gives_a_worker_up) {
  late_tick(seconds{3});  // it may have been held up itself, and gets more time for that, once
  late_tick(seconds{0});
  late_tick(seconds{3});
  EXPECT_FALSE(gave_up());
  EXPECT_LE(core.next_tick(), now) << "it goes on when it has heard the rest";
  says_what_it_has();
  late_tick(seconds{3});
  EXPECT_FALSE(gave_up());
}

TEST_F(HeldUp, it_gives_a_silent_worker_up_though_it_is_always_late) {
  for (int i = 0; i < 40 && !gave_up(); ++i) late_tick(seconds{3});
  EXPECT_TRUE(gave_up());
}

TEST_F(HeldUp, it_gives_a_silent_worker_up_though_every_second_tick_is_late) {
  for (int i = 0; i < 100 && !gave_up(); ++i) {
    late_tick(milliseconds{100});
    now = core.next_tick();
    core.step(TimePassed{}, now, actions);
  }
  EXPECT_TRUE(gave_up());
}

// Nothing else is due while it is idle.
TEST_F(HeldUp, it_notices_a_pause_although_it_has_nothing_to_do) {
  says_what_it_has();
  EXPECT_LE(core.next_tick(), now + seconds{1});
}

}  // namespace
}  // namespace fixkeep::master
