// Tickets of players who are all equal, and the rooms that take them.
#include "master/rules/plan/first_fit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <vector>

#include "common/base/random.hpp"
#include "master/rules/plan/planner.hpp"

namespace fixkeep::master::plan {
namespace {

TEST(FirstFit, splits_no_party_between_two_rooms) {
  FirstFit rooms{{2, 3}};
  EXPECT_EQ(rooms.put(3), 1U);
  EXPECT_EQ(rooms.put(3), std::nullopt);
  EXPECT_EQ(rooms.free(0), 2U) << "nothing is taken in vain";
  EXPECT_EQ(rooms.put(2), 0U);
}

TEST(FirstFit, fills_a_room_before_the_next_one) {
  FirstFit rooms{{0, 1}};
  rooms.add(2);
  EXPECT_EQ(rooms.put(1), 1U);
  EXPECT_EQ(rooms.put(1), 2U);
  EXPECT_EQ(rooms.put(1), 2U);
  EXPECT_EQ(rooms.put(1), std::nullopt);
  EXPECT_EQ(rooms.rooms(), 3U);
}

// Rooms of eight seats, of which each has some left, and parties of up to three.
class EqualPlayers {
 public:
  explicit EqualPlayers(std::uint64_t seed) : random_(seed) {
    rules_.size = {.least = 1, .best = 1, .most = 8, .after = {}};
    rules_.party = 3;
    for (std::uint64_t id = 0; id < 6; ++id) {
      Room room;
      room.id = id;
      const auto free = static_cast<std::uint32_t>(random_.below(9));
      room.teams = {{8 - free, free, 0, {}}};
      rooms_.push_back(room);
      free_.push_back(free);
    }
    for (std::uint64_t id = 1; id <= 12; ++id) {
      Ticket ticket;
      ticket.id = TicketId{id};
      for (auto m = 1 + random_.below(3); m > 0; --m) {
        ticket.members.push_back({PlayerHash{id * 8 + m}, 0});
      }
      tickets_.push_back(ticket);
    }
  }

  std::vector<Fill> planned() const {
    TicketPool pool;
    for (const Ticket& ticket : tickets_) pool.insert(ticket);
    Decision decision;
    Planner{}.plan(rules_, pool, rooms_, TimePoint{std::chrono::seconds{1}}, {}, decision);
    return decision.fills;
  }
  std::vector<Fill> fitted() const {
    FirstFit rooms{free_};
    std::vector<Fill> fills;
    for (const Ticket& ticket : tickets_) {
      const auto room = rooms.put(static_cast<std::uint32_t>(ticket.members.size()));
      if (room) fills.push_back({ticket.id, *room, 0});
    }
    return fills;
  }

 private:
  Random random_;
  Rules rules_;
  std::vector<Room> rooms_;
  std::vector<Ticket> tickets_;
  std::vector<std::uint32_t> free_;
};

TEST(FirstFit, fills_rooms_as_the_planner_does_without_rules_that_widen) {
  std::size_t fills = 0;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    const EqualPlayers players{seed};
    ASSERT_EQ(players.fitted(), players.planned()) << "seed " << seed;
    fills += players.fitted().size();
  }
  EXPECT_GT(fills, 10'000U);
}

}  // namespace
}  // namespace fixkeep::master::plan
