// Each test tells a short story of a few events, and says which of its orders collide.
#include "client-sim/judge/collisions.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace fixkeep::client_sim {
namespace {

using std::chrono::milliseconds;

const GroupKey duel{"duel"};
constexpr std::uint32_t eight_seats = 8;

// Rooms are told by one number each: it is the token, the index of the worker and the room number.
class Story {
 public:
  Story& at(int ms) {
    now_ = events::EventTime{milliseconds{ms}};
    return *this;
  }
  Story& granted(const std::string& master) {
    return tell(master, events::LockGranted{duel, {1, MasterId{1}}});
  }
  Story& ordered(const std::string& master, int room, std::vector<std::uint32_t> claims) {
    return tell(master, events::RoomOrdered{worker(room),
                                            static_cast<std::uint64_t>(room),
                                            duel,
                                            creation(room),
                                            eight_seats,
                                            std::move(claims),
                                            {}});
  }
  // The master keeps claims of so many seats back.
  Story& ordered_beside(events::KeptBack kept, const std::string& master, int room,
                        std::vector<std::uint32_t> claims) {
    return tell(master, events::RoomOrdered{worker(room), static_cast<std::uint64_t>(room), duel,
                                            creation(room), eight_seats, std::move(claims), kept});
  }
  // Another order of the hold that ordered `first`.
  Story& ordered_with(const std::string& master, int first, int room,
                      std::vector<std::uint32_t> claims) {
    same_hold_[room] = first;
    return ordered(master, room, std::move(claims));
  }
  Story& room(int room, std::uint32_t taken, wire::RoomPhase phase = wire::RoomPhase::open) {
    return tell(worker(room).text(), events::RoomChanged{place(room), duel, creation(room), phase,
                                                         eight_seats, taken, 0});
  }
  Story& asked(const std::string& master, int room, std::uint32_t seats) {
    return tell(master, events::SeatsAsked{worker(room), 100, place(room).number, seats});
  }
  Story& answered(const std::string& master, int room) {
    return tell(master, events::SeatsAnswered{worker(room), 100});
  }
  Story& matched() { return tell("m1", events::MatchAnswered{TicketId{1}, "w1-1-1"}); }

  [[nodiscard]] CollisionBill bill(milliseconds news = {}) const {
    return find_collisions(told_, news);
  }
  // The rooms whose orders collided.
  [[nodiscard]] std::vector<int> collided(milliseconds news = {}) const {
    std::vector<int> rooms;
    for (const auto& collision : bill(news).collisions) {
      rooms.push_back(static_cast<int>(collision.order.token.counter + collision.order.index));
    }
    return rooms;
  }

  [[nodiscard]] CreationId creation(int room) const {
    const auto hold = same_hold_.find(room);
    const int first = hold == same_hold_.end() ? room : hold->second;
    return {{static_cast<std::uint64_t>(first), MasterId{1}},
            static_cast<std::uint32_t>(room - first),
            Incarnation{1}};
  }

 private:
  static WorkerId worker(int room) { return WorkerId{"w" + std::to_string(room)}; }
  static RoomId place(int room) {
    return {worker(room), Incarnation{1}, RoomNumber{static_cast<std::uint32_t>(room)}};
  }
  Story& tell(const std::string& node, events::What what) {
    told_.push_back({node, now_, std::move(what)});
    return *this;
  }

  events::EventTime now_{};
  std::vector<events::Event> told_;
  std::map<int, int> same_hold_;
};

using Rooms = std::vector<int>;

TEST(Collisions, an_order_while_another_room_has_seats_is_one) {
  Story story;
  story.at(0).ordered("m1", 1, {1}).at(5).room(1, 1);
  story.at(10).granted("m2").at(20).ordered("m2", 2, {1}).at(25).room(2, 1);
  EXPECT_EQ(story.collided(), Rooms{2});
  const auto collision = story.bill().collisions.at(0);
  EXPECT_EQ(collision.master, "m2");
  EXPECT_EQ(collision.other, story.creation(1));
  EXPECT_EQ(collision.seats, 7U);
  EXPECT_TRUE(collision.carried_out);
  EXPECT_EQ(story.bill().orders, 2U);
}

TEST(Collisions, an_order_that_is_on_its_way_counts_for_what_it_does_not_carry) {
  Story story;
  story.at(0).granted("m1").granted("m2").ordered("m1", 1, {4}).at(1).ordered("m2", 2, {4});
  story.at(50).room(1, 4).room(2, 4);
  EXPECT_EQ(story.collided(), Rooms{2});

  Story full;
  full.at(0).granted("m1").granted("m2").ordered("m1", 1, {4}).at(1).ordered("m2", 2, {5});
  full.at(50).room(1, 4).room(2, 5);
  EXPECT_EQ(full.collided(), Rooms{}) << "the smallest claim of the order does not fit";
}

TEST(Collisions, an_order_that_was_refused_counts_for_nothing) {
  Story story;
  story.at(0).ordered("m1", 1, {1}).at(1).ordered("m2", 2, {1}).at(50).room(2, 1);
  EXPECT_EQ(story.collided(), Rooms{});
}

TEST(Collisions, an_order_that_collided_counts_also_if_it_was_refused) {
  Story story;
  story.at(0).ordered("m1", 1, {1}).at(1).ordered("m2", 2, {1}).at(50).room(1, 1);
  EXPECT_EQ(story.collided(), Rooms{2});
  EXPECT_FALSE(story.bill().collisions.at(0).carried_out);
}

TEST(Collisions, rooms_of_one_hold_and_an_order_that_is_repeated_are_none) {
  Story story;
  story.at(0).granted("m1").ordered("m1", 1, {1}).ordered_with("m1", 1, 2, {8});
  story.at(5).ordered("m1", 1, {1}).at(50).room(1, 1).room(2, 8);
  EXPECT_EQ(story.collided(), Rooms{});
  EXPECT_EQ(story.bill().orders, 2U);
}

TEST(Collisions, a_seat_that_came_free_after_the_grant_is_nobodys_fault) {
  Story story;
  story.at(0).ordered("m1", 1, {8}).at(5).room(1, 8);
  story.at(10).granted("m2").at(15).room(1, 7).at(20).ordered("m2", 2, {1}).at(25).room(2, 1);
  EXPECT_EQ(story.collided(), Rooms{});

  Story before;
  before.at(0).ordered("m1", 1, {8}).at(5).room(1, 8).at(8).room(1, 7);
  before.at(10).granted("m2").at(20).ordered("m2", 2, {1}).at(25).room(2, 1);
  EXPECT_EQ(before.collided(), Rooms{2});
}

TEST(Collisions, a_seat_whose_news_was_under_way_at_the_grant_is_nobodys_fault) {
  Story story;
  story.at(0).ordered("m1", 1, {8}).at(5).room(1, 8).at(100).room(1, 7);
  story.at(110).granted("m2").at(120).ordered("m2", 2, {1}).at(125).room(2, 1);
  EXPECT_EQ(story.collided(), Rooms{2});
  EXPECT_EQ(story.collided(milliseconds{10}), Rooms{2}) << "it arrives with the grant";
  EXPECT_EQ(story.collided(milliseconds{11}), Rooms{});

  Story ordered;
  ordered.at(100).ordered("m1", 1, {1}).at(110).granted("m2").ordered("m2", 2, {1});
  ordered.at(125).room(1, 1).room(2, 1);
  EXPECT_EQ(ordered.collided(milliseconds{50}), Rooms{2}) << "an order needs no news";
}

TEST(Collisions, a_room_that_was_full_in_between_had_no_seats) {
  Story story;
  story.at(0).ordered("m1", 1, {1}).at(5).room(1, 1).at(10).granted("m2");
  story.at(12).room(1, 8).at(14).room(1, 3).at(20).ordered("m2", 2, {1}).at(25).room(2, 1);
  EXPECT_EQ(story.collided(), Rooms{});
}

TEST(Collisions, a_room_that_is_closed_or_drains_has_no_seats) {
  for (const auto phase : {wire::RoomPhase::closed, wire::RoomPhase::draining}) {
    Story story;
    story.at(0).ordered("m1", 1, {1}).at(5).room(1, 1).at(8).room(1, 0, phase);
    story.at(10).granted("m2").at(20).ordered("m2", 2, {1}).at(25).room(2, 1);
    EXPECT_EQ(story.collided(), Rooms{});
  }
}

TEST(Collisions, seats_that_the_orderer_has_asked_for_are_spoken_for) {
  Story story;
  story.at(0).ordered("m1", 1, {5}).at(5).room(1, 5).at(10).granted("m2").asked("m2", 1, 3);
  story.at(20).ordered("m2", 2, {1}).at(25).room(2, 1);
  EXPECT_EQ(story.collided(), Rooms{});

  Story others;
  others.at(0).ordered("m1", 1, {5}).at(5).room(1, 5).at(10).granted("m2").asked("m3", 1, 3);
  others.at(20).ordered("m2", 2, {1}).at(25).room(2, 1);
  EXPECT_EQ(others.collided(), Rooms{2}) << "it does not know of the other one's question";

  Story answered;
  answered.at(0).ordered("m1", 1, {5}).at(5).room(1, 5).at(10).granted("m2").asked("m2", 1, 3);
  answered.at(15).answered("m2", 1).at(20).ordered("m2", 2, {1}).at(25).room(2, 1);
  EXPECT_EQ(answered.collided(), Rooms{2}) << "the answer was No, and the seats are still there";
}

TEST(Collisions, seats_that_the_orderer_keeps_other_claims_back_for_are_spoken_for) {
  Story story;
  story.at(0).granted("m1").granted("m2").ordered("m1", 1, {5});
  story.at(1).ordered_beside({3, 3}, "m2", 2, {1, 1}).at(50).room(1, 5).room(2, 2);
  EXPECT_EQ(story.collided(), Rooms{});

  Story fewer;
  fewer.at(0).granted("m1").granted("m2").ordered("m1", 1, {5});
  fewer.at(1).ordered_beside({2, 2}, "m2", 2, {1, 1}).at(50).room(1, 5).room(2, 2);
  EXPECT_EQ(fewer.collided(), Rooms{2}) << "one of three seats would be left";

  Story two_rooms;
  two_rooms.at(0).granted("m1").granted("m2").ordered("m1", 1, {5}).ordered_with("m1", 1, 2, {7});
  two_rooms.at(1).ordered_beside({3, 3}, "m2", 3, {1}).at(50).room(1, 5).room(2, 7).room(3, 1);
  EXPECT_EQ(two_rooms.collided(), Rooms{3}) << "the seats of all rooms count together";
}

TEST(Collisions, a_claim_that_is_kept_back_may_leave_too_little_for_a_party) {
  Story story;
  story.at(0).granted("m1").granted("m2").ordered("m1", 1, {4});
  story.at(1).ordered_beside({1, 1}, "m2", 2, {4}).at(50).room(1, 4).room(2, 4);
  EXPECT_EQ(story.collided(), Rooms{});
}

TEST(Collisions, events_count_in_the_order_of_their_time_whoever_told_them) {
  Story story;
  story.at(20).granted("m2").ordered("m2", 2, {1}).at(25).room(2, 1);
  story.at(0).ordered("m1", 1, {1}).at(5).room(1, 1);
  EXPECT_EQ(story.collided(), Rooms{2});
}

TEST(Collisions, cost_the_rooms_that_are_too_many_for_as_long_as_they_are) {
  Story story;
  story.at(0).ordered("m1", 1, {1}).at(0).room(1, 1);
  story.at(1000).granted("m2").ordered("m2", 2, {1}).room(2, 1);
  story.at(2000).matched();
  story.at(3000).room(1, 8);                      // nine players: both rooms are needed
  story.at(5000).room(2, 0).at(9000).room(1, 7);  // a seat came free: everybody goes home
  EXPECT_NEAR(story.bill().wasted_room_seconds, 2.0, 1e-9);
  EXPECT_NEAR(story.bill().wasted_seat_seconds, 16.0, 1e-9);
}

TEST(Collisions, without_any_cost_nothing) {
  Story story;
  story.at(0).ordered("m1", 1, {8}).at(5).room(1, 8);
  story.at(10).granted("m2").at(20).ordered("m2", 2, {1}).at(25).room(2, 1).at(1000).matched();
  EXPECT_EQ(story.bill().wasted_room_seconds, 0);
}

// 100 000 players in one group. When each event looked at every room, this took many minutes.
TEST(Collisions, of_a_hundred_thousand_players_are_found_in_seconds) {
  constexpr int rooms = 12'500;
  Story story;
  for (int room = 1; room <= rooms; ++room) {
    story.at(room).granted("m1").ordered("m1", room, {1});
    for (std::uint32_t taken = 1; taken <= eight_seats; ++taken) story.room(room, taken);
  }
  story.at(rooms + 1).ordered("m2", rooms + 1, {1}).at(rooms + 2).ordered("m1", rooms + 2, {1});
  story.room(rooms + 1, 1).room(rooms + 2, 1).at(2 * rooms).matched();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(story.collided(), Rooms{rooms + 2});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20});
}

}  // namespace
}  // namespace fixkeep::client_sim
