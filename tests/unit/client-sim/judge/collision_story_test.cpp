// A planted collision: m2 orders a room two milliseconds after m1, whose room has seven free seats.
#include "client-sim/judge/collision_story.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace fixkeep::client_sim {
namespace {

using std::chrono::milliseconds;
using wire::RoomPhase;

const GroupKey contested{"duel"};
const events::EventTime began{std::chrono::seconds{100}};

class Planted {
 public:
  template <class What>
  Planted& at(int ms, const char* node, What what) {
    told_.push_back({node, began + milliseconds{ms}, std::move(what)});
    return *this;
  }
  [[nodiscard]] CollisionStory story() const {
    const auto bill = find_collisions(told_);
    EXPECT_EQ(bill.collisions.size(), 1U);
    if (bill.collisions.empty()) return {};
    return tell_collision(told_, bill.collisions.front(), began);
  }

 private:
  std::vector<events::Event> told_;
};

CreationId order_id(std::uint64_t number) {
  return {{number, MasterId{1}}, 0, Incarnation{1}};
}

events::RoomChanged room(std::uint64_t number, const char* worker, RoomPhase phase) {
  return {{WorkerId{worker}, Incarnation{1}, RoomNumber{5}},
          contested,
          order_id(number),
          phase,
          8,
          1,
          0};
}

Planted collision() {
  Planted planted;
  planted.at(1, "m3", events::LockWanted{contested})
      .at(2, "m1", events::LockWanted{GroupKey{"other"}})
      .at(3, "m1", events::LockWanted{contested})
      .at(4, "m1", events::LockGranted{contested, {1, MasterId{1}}})
      .at(5, "m2", events::LockWanted{contested})
      .at(6, "m2", events::LockGranted{contested, {2, MasterId{2}}})
      .at(10, "m1", events::RoomOrdered{WorkerId{"w1"}, 7, contested, order_id(1), 8, {1}})
      .at(12, "m2", events::RoomOrdered{WorkerId{"w2"}, 8, contested, order_id(2), 8, {2}})
      .at(13, "w1", room(1, "w1", RoomPhase::starting))
      .at(14, "m1", events::OrderAnswered{WorkerId{"w1"}, 7, true})
      .at(15, "w2", room(2, "w2", RoomPhase::starting))
      .at(16, "m1", events::LockLeft{contested})
      .at(17, "m1", events::SeatsAsked{WorkerId{"w1"}, 9, RoomNumber{5}, 1})
      .at(18, "m1", events::SeatsAnswered{WorkerId{"w1"}, 9})
      .at(500, "w1", room(1, "w1", RoomPhase::open))
      .at(510, "w2", room(2, "w2", RoomPhase::open))
      .at(900, "m1", events::LockWanted{contested});
  return planted;
}

TEST(CollisionStory, is_told_by_the_two_masters_and_workers) {
  const auto story = collision().story();
  EXPECT_EQ(story.group, "duel");
  EXPECT_EQ(story.nodes, (std::vector<std::string>{"m1", "w1", "w2", "m2"}));
  EXPECT_EQ(story.left_out, 0U);
}

TEST(CollisionStory, goes_from_the_first_acquire_until_both_rooms_are_open) {
  std::vector<std::string> lines;
  for (const auto& step : collision().story().steps) {
    lines.push_back(std::to_string(static_cast<int>(step.at_ms)) + " " + step.from + ">" + step.to +
                    (step.bad ? " !" : " ") + step.text);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "3 m1>m1 wants the lock",
                       "4 m1>m1 has the lock",
                       "5 m2>m2 wants the lock",
                       "6 m2>m2 has the lock",
                       "10 m1>w1 orders room A, 1 seat of 8 claimed",
                       "12 m2>w2 !orders room B, 2 seats of 8 claimed while A has 7 seats free",
                       "13 w1>w1 room A is starting, 1 seat of 8 taken",
                       "14 w1>m1 order accepted",
                       "15 w2>w2 room B is starting, 1 seat of 8 taken",
                       "16 m1>m1 has left the lock",
                       "17 m1>w1 asks for 1 seat in room A",
                       "18 w1>m1 answer on seats",
                       "500 w1>w1 room A is open, 1 seat of 8 taken",
                       "510 w2>w2 room B is open, 1 seat of 8 taken",
                   }));
}

TEST(CollisionStory, shows_when_the_seat_came_free) {
  auto taken = room(1, "w1", RoomPhase::open);
  taken.taken = 8;
  auto free = taken;
  free.taken = 7;
  Planted planted;
  planted.at(10, "m1", events::RoomOrdered{WorkerId{"w1"}, 7, contested, order_id(1), 8, {8}})
      .at(500, "w1", taken)
      .at(600, "w1", free)
      .at(605, "m2", events::LockGranted{contested, {2, MasterId{2}}})
      .at(606, "m2", events::RoomOrdered{WorkerId{"w2"}, 8, contested, order_id(2), 8, {1}});
  const auto story = planted.story();
  EXPECT_TRUE(std::any_of(story.steps.begin(), story.steps.end(), [](const StoryStep& step) {
    return step.text == "a seat of room A comes free, 7 seats of 8 taken" && step.at_ms == 600;
  })) << "the news of it may still have been on its way";
}

TEST(CollisionStory, has_a_bounded_number_of_steps) {
  Planted many;
  many.at(3, "m1", events::LockWanted{contested})
      .at(10, "m1", events::RoomOrdered{WorkerId{"w1"}, 7, contested, order_id(1), 8, {1}});
  for (int index = 0; index < 100; ++index) many.at(11, "m1", events::LockLeft{contested});
  many.at(12, "m2", events::RoomOrdered{WorkerId{"w2"}, 8, contested, order_id(2), 8, {2}})
      .at(13, "w1", room(1, "w1", RoomPhase::starting));
  const auto story = many.story();
  EXPECT_EQ(story.steps.size(), most_story_steps);
  EXPECT_EQ(story.left_out, 103 - most_story_steps);
  EXPECT_TRUE(story.steps.back().bad) << "the collision itself is never left out";
}

}  // namespace
}  // namespace fixkeep::client_sim
