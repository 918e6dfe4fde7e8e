#include "worker/runner/start_queue.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace fixkeep::worker {
namespace {

struct StartQueueTest : testing::Test {
  void add(std::uint32_t first, std::uint32_t last) {
    for (auto room = first; room <= last; ++room) queue.add(RoomNumber{room});
  }
  std::vector<std::uint32_t> all_next() {
    std::vector<std::uint32_t> rooms;
    while (const auto room = queue.next()) rooms.push_back(room->number());
    return rooms;
  }
  void started(std::uint32_t room) { queue.done(RoomNumber{room}); }

  StartQueue queue{2};
};

TEST_F(StartQueueTest, so_many_are_on_their_way_and_the_others_follow_in_their_order) {
  add(1, 5);
  EXPECT_THAT(all_next(), testing::ElementsAre(1, 2));
  EXPECT_EQ(queue.waiting(), 3U);
  started(2);
  EXPECT_THAT(all_next(), testing::ElementsAre(3));
  started(1);
  started(3);
  EXPECT_THAT(all_next(), testing::ElementsAre(4, 5));
}

TEST_F(StartQueueTest, one_that_waits_can_be_taken_out_and_one_on_its_way_cannot) {
  add(1, 4);
  EXPECT_THAT(all_next(), testing::ElementsAre(1, 2));
  EXPECT_FALSE(queue.take_out(RoomNumber{1}));
  EXPECT_TRUE(queue.take_out(RoomNumber{3}));
  EXPECT_FALSE(queue.take_out(RoomNumber{3}));
  started(1);
  EXPECT_THAT(all_next(), testing::ElementsAre(4));
}

TEST_F(StartQueueTest, one_that_has_to_be_started_again_is_the_next) {
  add(1, 3);
  EXPECT_THAT(all_next(), testing::ElementsAre(1, 2));
  queue.put_back(RoomNumber{2});
  EXPECT_THAT(all_next(), testing::ElementsAre(2));
}

TEST_F(StartQueueTest, what_is_not_on_its_way_changes_nothing_when_it_ends) {
  started(7);
  queue.put_back(RoomNumber{7});
  EXPECT_EQ(queue.waiting(), 0U);
  EXPECT_TRUE(all_next().empty());
}

}  // namespace
}  // namespace fixkeep::worker
