#include <gtest/gtest.h>

#include "common/wire/warm_pool.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {
namespace {

// The lock's value tells that a warm room was given to players before its worker tells of the room.
TEST(Hints, of_a_warm_room_that_was_given_count_more_than_older_news_of_it) {
  const WorkerId worker{"w1"};
  const RoomId id{worker, Incarnation{1}, RoomNumber{4}};
  const GroupKey players{"eu"};
  Directory directory{Placement::roomiest};
  directory.connect(worker, id.incarnation);
  directory.introduce(worker, {});
  ASSERT_TRUE(directory.hint(players, {id, ModeName{"duel"}, 8, 3, std::nullopt}));

  wire::RoomInfo warm;
  warm.number = id.number;
  warm.mode = ModeName{"duel"};
  warm.group = wire::warm_pool_of(warm.mode, 8);
  warm.capacity = 8;
  warm.creation = {{7, MasterId{1}}, 0, Incarnation{1}};
  ASSERT_TRUE(directory.put(worker, warm));
  const Room* room = directory.find(id);
  ASSERT_NE(room, nullptr);
  EXPECT_EQ(room->group, players);
  // By this order nobody would find the room when its worker is back, nor the seats in it.
  EXPECT_NE(room->creation, warm.creation);
}

}  // namespace
}  // namespace fixkeep::master
