#include "master/core/directory/duplicate_watch.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

const WorkerId only_worker{"w1"};
const ModeName duel_mode{"duel"};

CreationId creation(std::uint64_t counter, std::uint16_t master, std::uint32_t index = 0) {
  return {{counter, MasterId{master}}, index, Incarnation{7}};
}

class DuplicateWatchTest : public ::testing::Test {
 protected:
  DuplicateWatchTest() {
    directory_.connect(only_worker, Incarnation{1});
    directory_.introduce(only_worker, {});
  }

  void order(const CreationId& made_by) {
    watch_.ordered({.group = GroupKey{"g"}, .mode = duel_mode, .creation = made_by, .capacity = 8},
                   directory_, now_);
  }
  // The worker shows a room with so many seats taken.
  void show(const CreationId& made_by, std::uint32_t taken) {
    wire::RoomInfo info;
    info.number = RoomNumber{++rooms_};
    info.group = GroupKey{"g"};
    info.mode = duel_mode;
    info.capacity = 8;
    info.creation = made_by;
    for (std::uint32_t i = 0; i < taken; ++i) {
      info.players.push_back(PlayerId{std::to_string(100 * rooms_ + i + 1)});
    }
    EXPECT_TRUE(directory_.put(only_worker, info));
    directory_.set_newest_room(only_worker, RoomNumber{rooms_});
  }
  void leave(RoomNumber number, std::uint32_t players) {
    wire::RoomChange change{.number = number, .phase = wire::RoomPhase::open};
    for (std::uint32_t i = 0; i < players; ++i) {
      change.left.push_back(PlayerId{std::to_string(100 * number.number() + i + 1)});
    }
    directory_.change({only_worker, Incarnation{1}, number}, change);
  }
  std::uint64_t counted() {
    watch_.look(directory_, now_);
    now_ += DuplicateWatch::watched_for;
    watch_.look(directory_, now_);
    const auto found = watch_.counts().find(duel_mode);
    return found == watch_.counts().end() ? 0 : found->second;
  }

  Directory directory_{Placement::roomiest};
  DuplicateWatch watch_;
  TimePoint now_{std::chrono::hours{1}};
  std::uint32_t rooms_ = 0;
};

TEST_F(DuplicateWatchTest, counts_a_room_whose_players_fit_into_one_that_it_did_not_know) {
  order(creation(2, 2));
  show(creation(1, 1), 5);
  show(creation(2, 2), 3);
  EXPECT_EQ(counted(), 1U);
}

TEST_F(DuplicateWatchTest, does_not_count_a_room_whose_players_fit_nowhere_else) {
  order(creation(2, 2));
  show(creation(1, 1), 6);
  show(creation(2, 2), 3);
  EXPECT_EQ(counted(), 0U);
}

TEST_F(DuplicateWatchTest, does_not_count_the_first_of_two_nor_rooms_of_others) {
  order(creation(1, 1));
  show(creation(1, 1), 3);
  show(creation(2, 2), 3);
  EXPECT_EQ(counted(), 0U);
}

TEST_F(DuplicateWatchTest, does_not_count_rooms_that_one_grant_ordered_together) {
  order(creation(2, 2, 0));
  order(creation(2, 2, 1));
  show(creation(2, 2, 0), 4);
  show(creation(2, 2, 1), 4);
  EXPECT_EQ(counted(), 0U);
}

TEST_F(DuplicateWatchTest, gives_each_free_seat_away_once) {
  for (std::uint16_t master = 2; master <= 4; ++master) order(creation(master, master));
  show(creation(1, 1), 4);
  for (std::uint16_t master = 2; master <= 4; ++master) show(creation(master, master), 2);
  // Two of the three fit beside the first four; the third room is needed.
  EXPECT_EQ(counted(), 2U);
}

TEST_F(DuplicateWatchTest, does_not_count_against_a_room_that_was_known_at_the_order) {
  show(creation(1, 1), 5);
  order(creation(2, 2));
  show(creation(2, 2), 3);
  EXPECT_EQ(counted(), 0U) << "it was full then, or was not to be had";
}

TEST_F(DuplicateWatchTest, does_not_count_a_room_that_nobody_came_to_or_that_takes_nobody) {
  order(creation(2, 2));
  order(creation(3, 3));
  show(creation(1, 1), 2);
  show(creation(2, 2), 0);
  show(creation(3, 3), 2);
  directory_.change({only_worker, Incarnation{1}, RoomNumber{1}},
                    {.number = RoomNumber{1}, .phase = wire::RoomPhase::draining});
  EXPECT_EQ(counted(), 1U) << "the empty room was there before the third one";
}

TEST_F(DuplicateWatchTest, judges_once_when_seats_are_at_rest) {
  order(creation(2, 2));
  show(creation(1, 1), 5);
  show(creation(2, 2), 3);
  now_ += DuplicateWatch::watched_for - Duration{1};
  watch_.look(directory_, now_);
  EXPECT_EQ(watch_.counts().at(duel_mode), 0U);
  EXPECT_EQ(counted(), 1U);
  EXPECT_EQ(counted(), 1U);
}

TEST_F(DuplicateWatchTest, goes_by_the_most_players_that_were_there_at_one_time) {
  order(creation(2, 2));
  show(creation(1, 1), 6);
  show(creation(2, 2), 3);
  watch_.look(directory_, now_);
  now_ += DuplicateWatch::look_every;
  leave(RoomNumber{1}, 6);
  EXPECT_EQ(counted(), 0U) << "they were there when the second room was needed";
}

TEST_F(DuplicateWatchTest, counts_a_room_that_its_players_have_left_already) {
  order(creation(2, 2));
  show(creation(1, 1), 5);
  show(creation(2, 2), 3);
  watch_.look(directory_, now_);
  now_ += DuplicateWatch::look_every;
  leave(RoomNumber{2}, 3);
  EXPECT_EQ(counted(), 1U);
}

TEST_F(DuplicateWatchTest, looks_no_more_often_than_it_has_to) {
  order(creation(2, 2));
  watch_.look(directory_, now_);
  show(creation(1, 1), 6);
  watch_.look(directory_, now_ + DuplicateWatch::look_every - Duration{1});
  leave(RoomNumber{1}, 6);
  show(creation(2, 2), 3);
  EXPECT_EQ(counted(), 1U) << "nobody saw the six";
}

TEST_F(DuplicateWatchTest, judges_no_more_groups_at_a_time_than_it_has_room_for) {
  for (std::size_t i = 0; i < DuplicateWatch::watches_most; ++i) {
    watch_.ordered({.group = GroupKey{"g" + std::to_string(i)},
                    .mode = duel_mode,
                    .creation = creation(i + 10, 2),
                    .capacity = 8},
                   directory_, now_);
  }
  order(creation(2, 2));
  show(creation(1, 1), 5);
  show(creation(2, 2), 3);
  EXPECT_EQ(counted(), 0U);
  order(creation(4, 2));
  show(creation(3, 1), 5);
  show(creation(4, 2), 3);
  EXPECT_EQ(counted(), 1U);
}

}  // namespace
}  // namespace fixkeep::master
