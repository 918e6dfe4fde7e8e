// Each test tells the events of one match or two, and says where their time went.
#include "client-sim/judge/stages.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "client-sim/judge/collisions.hpp"

namespace fixkeep::client_sim {
namespace {

using std::chrono::milliseconds;

const GroupKey ranked{"ranked"};
const WorkerId w1{"w1"};

// Rooms are told by a number: that of the order's token and of the room on worker w1.
class Journey {
 public:
  Journey& at(int ms) {
    now_ = events::EventTime{milliseconds{ms}};
    return *this;
  }
  Journey& asked(std::uint64_t ticket) {
    return tell("m1", events::MatchAsked{TicketId{ticket}, ranked, 1});
  }
  Journey& answered(std::uint64_t ticket, std::uint32_t room) {
    return tell("m1", events::MatchAnswered{TicketId{ticket}, to_string(place(room))});
  }
  Journey& refused(std::uint64_t ticket) {
    return tell("m1", events::MatchAnswered{TicketId{ticket}, {}});
  }
  Journey& lock_wanted() { return tell("m1", events::LockWanted{ranked}); }
  Journey& lock_granted() { return tell("m1", events::LockGranted{ranked, {1, MasterId{1}}}); }
  Journey& lock_left() { return tell("m1", events::LockLeft{ranked}); }
  Journey& fence_asked(const std::string& worker, std::uint64_t request) {
    return tell("m1", events::FenceAsked{WorkerId{worker}, request, ranked});
  }
  Journey& fence_answered(const std::string& worker, std::uint64_t request) {
    return tell("m1", events::FenceAnswered{WorkerId{worker}, request});
  }
  Journey& seats_asked(std::uint32_t room, std::uint64_t request) {
    return tell("m1", events::SeatsAsked{w1, request, RoomNumber{room}, 1});
  }
  Journey& seats_answered(std::uint64_t request) {
    return tell("m1", events::SeatsAnswered{w1, request});
  }
  Journey& ordered(std::uint32_t room, std::vector<std::uint32_t> claims,
                   const std::string& master = "m1") {
    return tell(master, events::RoomOrdered{
                            w1, 100 + room, ranked, creation(room), 8, std::move(claims), {}});
  }
  Journey& room(std::uint32_t number, wire::RoomPhase phase) {
    return tell("w1", events::RoomChanged{place(number), ranked, creation(number), phase, 8, 1, 0});
  }

  [[nodiscard]] StageTimes times() const {
    std::vector<events::Event> seen = told_;
    put_in_order(seen);
    return find_stages(seen);
  }

 private:
  static CreationId creation(std::uint32_t room) {
    return {{room, MasterId{1}}, 0, Incarnation{1}};
  }
  static RoomId place(std::uint32_t room) { return {w1, Incarnation{1}, RoomNumber{room}}; }
  Journey& tell(const std::string& node, events::What what) {
    told_.push_back({node, now_, std::move(what)});
    return *this;
  }

  events::EventTime now_{};
  std::vector<events::Event> told_;
};

TEST(Stages, of_a_match_that_needs_lock_fence_and_room_follow_each_other) {
  Journey story;
  story.at(0).asked(1).lock_wanted();
  story.at(160).lock_granted().fence_asked("w1", 1).fence_asked("w2", 2);
  story.at(300).fence_answered("w1", 1);
  story.at(320).fence_answered("w2", 2).ordered(7, {1}).lock_left();
  story.at(400).room(7, wire::RoomPhase::starting);
  story.at(900).room(7, wire::RoomPhase::open);
  story.at(980).answered(1, 7);
  const StageTimes times = story.times();
  EXPECT_EQ(times.matches, 1U);
  EXPECT_DOUBLE_EQ(times.of(Stage::lock), 160);
  EXPECT_DOUBLE_EQ(times.of(Stage::fence), 160);
  EXPECT_DOUBLE_EQ(times.of(Stage::order), 80);
  EXPECT_DOUBLE_EQ(times.of(Stage::boot), 500);
  EXPECT_DOUBLE_EQ(times.of(Stage::news), 80);
  EXPECT_DOUBLE_EQ(times.of(Stage::ask), 0);
  EXPECT_DOUBLE_EQ(times.of(Stage::wait), 0);
  EXPECT_DOUBLE_EQ(times.sum(), 980);
}

TEST(Stages, of_a_match_that_finds_an_open_room_are_one_question) {
  Journey story;
  story.at(0).ordered(7, {1}, "m2").room(7, wire::RoomPhase::starting);
  story.at(5).room(7, wire::RoomPhase::open);
  story.at(10).asked(1).seats_asked(7, 1).at(14).seats_answered(1).answered(1, 7);
  EXPECT_DOUBLE_EQ(story.times().of(Stage::ask), 4);
  EXPECT_DOUBLE_EQ(story.times().sum(), 4);
}

TEST(Stages, a_seat_in_a_room_that_starts_is_waited_for_as_its_boot) {
  Journey story;
  story.at(0).ordered(7, {1}, "m2").at(2).room(7, wire::RoomPhase::starting);
  story.at(10).asked(1).seats_asked(7, 1).at(14).seats_answered(1);
  story.at(50).room(7, wire::RoomPhase::open).at(53).answered(1, 7);
  EXPECT_DOUBLE_EQ(story.times().of(Stage::ask), 4);
  EXPECT_DOUBLE_EQ(story.times().of(Stage::boot), 36);
  EXPECT_DOUBLE_EQ(story.times().of(Stage::news), 3);
}

TEST(Stages, whoever_does_not_ride_in_the_order_asks_its_room) {
  Journey story;
  story.at(0).asked(1).asked(2).ordered(7, {1});
  story.at(8).room(7, wire::RoomPhase::starting);
  story.at(16).seats_asked(7, 1).at(32).seats_answered(1);
  story.at(108).room(7, wire::RoomPhase::open).at(116).answered(1, 7).answered(2, 7);
  const StageTimes times = story.times();
  EXPECT_EQ(times.matches, 2U);
  EXPECT_DOUBLE_EQ(times.of(Stage::order), 8.0 / 2);  // the first
  EXPECT_DOUBLE_EQ(times.of(Stage::wait), 16.0 / 2);  // the second: for news of the room
  EXPECT_DOUBLE_EQ(times.of(Stage::ask), 16.0 / 2);   // the second
  EXPECT_DOUBLE_EQ(times.of(Stage::boot), (100.0 + 76) / 2);
  EXPECT_DOUBLE_EQ(times.of(Stage::news), 8);
}

TEST(Stages, a_room_that_is_asked_in_vain_counts_unless_lock_or_fence_are_under_way) {
  Journey story;
  story.at(0).room(3, wire::RoomPhase::open).asked(1).seats_asked(3, 1);
  story.at(5).lock_wanted().at(10).seats_answered(1);
  story.at(12).lock_granted().at(20).ordered(7, {1}).room(7, wire::RoomPhase::open);
  story.at(20).answered(1, 7);
  EXPECT_DOUBLE_EQ(story.times().of(Stage::ask), 5);
  EXPECT_DOUBLE_EQ(story.times().of(Stage::lock), 7);
  EXPECT_DOUBLE_EQ(story.times().of(Stage::wait), 8);
}

TEST(Stages, of_matches_that_were_refused_or_are_not_over_count_for_nothing) {
  Journey story;
  story.at(0).asked(1).asked(2).at(50).refused(1);
  EXPECT_EQ(story.times().matches, 0U);
  EXPECT_DOUBLE_EQ(story.times().sum(), 0);
}

TEST(Stages, a_match_in_a_room_that_told_nothing_waits_until_its_end) {
  Journey story;
  story.at(0).asked(1).lock_wanted().at(10).lock_granted().at(30).answered(1, 9);
  EXPECT_DOUBLE_EQ(story.times().of(Stage::lock), 10);
  EXPECT_DOUBLE_EQ(story.times().of(Stage::wait), 20);
}

}  // namespace
}  // namespace fixkeep::client_sim
