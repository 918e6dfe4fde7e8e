#include "master/core/one_seat.hpp"

#include <gtest/gtest.h>

#include <string>

#include "master/core/group.hpp"

namespace fixkeep::master {
namespace {

struct OneSeat : testing::Test {
  OneSeat() {
    group.key = GroupKey{"g"};
    group.mode = ModeName{"duel"};
    waiting.group = &group;
    waiting.claim = {PlayerId{"ann"}, {PlayerId{"bob"}}};
    directory.connect(worker, Incarnation{1});
  }
  // A room in which the players have seats.
  const Room& room(std::uint32_t number, const std::string& key, const std::string& mode,
                   std::vector<std::string> players,
                   wire::RoomPhase phase = wire::RoomPhase::starting) {
    wire::RoomInfo info;
    info.number = RoomNumber{number};
    info.group = GroupKey{key};
    info.mode = ModeName{mode};
    info.phase = phase;
    info.capacity = 4;
    for (const std::string& player : players) { info.players.push_back(hash_of(PlayerId{player})); }
    EXPECT_TRUE(directory.put(worker, info));
    return *directory.find(RoomId{worker, Incarnation{1}, RoomNumber{number}});
  }
  SeatsOfPlayers seats() { return seats_of_players(directory, waiting); }

  const WorkerId worker{"w"};
  Directory directory{Placement::roomiest};
  Group group{HoldOptions{}};
  Waiting waiting;
};

TEST_F(OneSeat, seats_of_the_same_mode_are_in_scope) {
  EXPECT_TRUE(in_scope(waiting, ModeName{"duel"}, GroupKey{"h"}));
  EXPECT_FALSE(in_scope(waiting, ModeName{"race"}, GroupKey{"g"}));
}

TEST_F(OneSeat, or_of_the_same_group_if_the_mode_says_so) {
  waiting.one_seat_per = SeatScope::group;
  EXPECT_FALSE(in_scope(waiting, ModeName{"duel"}, GroupKey{"h"}));
  EXPECT_TRUE(in_scope(waiting, ModeName{"duel"}, GroupKey{"g"}));
}

TEST_F(OneSeat, a_room_of_the_group_with_all_that_are_seated_is_their_own) {
  EXPECT_EQ(seats().own, nullptr);
  EXPECT_FALSE(seats().anywhere);
  const Room& own = room(1, "g", "duel", {"ann"});
  EXPECT_EQ(seats().own, &own);
  EXPECT_TRUE(seats().anywhere);
  EXPECT_FALSE(seats().elsewhere);
}

TEST_F(OneSeat, a_member_of_the_party_may_sit_elsewhere) {
  (void)room(1, "g", "duel", {"ann"});
  (void)room(2, "h", "duel", {"bob"});
  EXPECT_TRUE(seats().elsewhere);
}

TEST_F(OneSeat, seats_out_of_scope_or_in_rooms_that_drain_do_not_count) {
  (void)room(1, "h", "race", {"ann"});
  (void)room(2, "g", "duel", {"bob"}, wire::RoomPhase::draining);
  EXPECT_FALSE(seats().anywhere);
}

TEST_F(OneSeat, an_open_room_counts_more_than_one_that_starts_and_of_two_such_the_lower_id) {
  const Room& own = room(2, "g", "duel", {"ann"});
  const Room& later = room(3, "h", "duel", {"ann"});
  EXPECT_EQ(better_seat(directory, waiting, own), nullptr);
  EXPECT_EQ(better_seat(directory, waiting, later), &own);
  const Room& open = room(4, "h", "duel", {"bob"}, wire::RoomPhase::open);
  EXPECT_EQ(better_seat(directory, waiting, own), &open);
  EXPECT_FALSE(counts_more(own, open));
}

TEST_F(OneSeat, seats_of_another_mode_do_not_compete) {
  const Room& own = room(2, "g", "duel", {"ann"});
  (void)room(1, "h", "race", {"ann"}, wire::RoomPhase::open);
  EXPECT_EQ(better_seat(directory, waiting, own), nullptr);
}

}  // namespace
}  // namespace fixkeep::master
