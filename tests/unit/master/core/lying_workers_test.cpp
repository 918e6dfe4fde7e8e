// Workers that speak the protocol and lie, beside honest ones: what the master does about each, and
// that the others go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "common/wire/limits.hpp"
#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

struct LyingWorkers : testing::Test {
  LyingWorkers() {
    master.capacity = 1;
    master.connect("honest", 1);
    master.connect("liar", 2);
  }
  void refuse_promise(const LoneMaster::Sent& sent, std::uint64_t highest) {
    wire::PrepareReply reply;
    reply.request = std::get<wire::PrepareSpawn>(sent.message).request;
    reply.highest = {highest, MasterId{9}};
    master.say(sent.worker.text(), reply);
  }
  // A liar comes back whenever it was sent away.
  void reconnect_liar() {
    master.disconnect("liar");
    master.connect("liar", 2);
  }
  [[nodiscard]] bool knows(const char* worker) {
    return master.matchmaker().directory().find(WorkerId{worker}) != nullptr;
  }

  LoneMaster master{[](MatchmakerOptions& options) {
    options.room_start = seconds{30};
    options.hold = seconds{60};
  }};
};

TEST_F(LyingWorkers, who_alone_refuses_every_promise_is_left_out_and_the_fence_completes) {
  master.match(1);
  master.grant({}, "g", true);
  int rounds = 0;
  for (auto round = master.take<wire::PrepareSpawn>(); !round.empty();
       round = master.take<wire::PrepareSpawn>()) {
    ASSERT_LT(++rounds, 8);
    for (const LoneMaster::Sent& sent : round) {
      if (sent.worker == WorkerId{"liar"}) {
        refuse_promise(sent, std::get<wire::PrepareSpawn>(sent.message).token.counter + 1'000'000);
      } else {
        master.promise(sent);
      }
    }
  }
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("liar", Misdeed::refuses_promises)));
  EXPECT_FALSE(knows("liar"));
  const auto orders = master.orders();
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_EQ(orders.front().worker, WorkerId{"honest"});
}

TEST_F(LyingWorkers, who_is_apart_is_not_heard_until_its_time_is_over) {
  master.say("liar", wire::SeatRequest{});  // which only masters say
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("liar", Misdeed::breaks_protocol)));
  reconnect_liar();
  EXPECT_FALSE(knows("liar"));
  EXPECT_THAT(master.matchmaker().quarantined(), SizeIs(1));
  master.pass(milliseconds{999});
  reconnect_liar();
  EXPECT_FALSE(knows("liar"));
  master.pass(milliseconds{1});
  EXPECT_THAT(master.matchmaker().quarantined(), IsEmpty());
  reconnect_liar();
  EXPECT_TRUE(knows("liar"));
}

TEST_F(LyingWorkers, who_does_not_answer_twice_is_left_out_and_then_has_less_time) {
  const auto honest_promises = [&] {
    for (const auto& sent : master.take<wire::PrepareSpawn>()) {
      if (sent.worker == WorkerId{"honest"}) master.promise(sent);
    }
  };
  // A group whose fence the liar holds up for `time`; then the room comes from the other one.
  const auto fence = [&](std::uint32_t group, Duration time) {
    const std::string name = "group " + std::to_string(group);
    master.match(group, name);
    master.grant({}, name, true);
    honest_promises();
    for (; time > seconds{2}; time -= seconds{2}) master.pass(seconds{2});
    master.pass(time - Duration{1});
    EXPECT_THAT(master.orders(), IsEmpty());
    EXPECT_TRUE(knows("liar"));
    master.pass(Duration{1});
    EXPECT_FALSE(knows("liar"));
    honest_promises();
    const auto orders = master.orders();
    ASSERT_THAT(orders, SizeIs(1));
    EXPECT_EQ(orders.front().worker, WorkerId{"honest"});
    master.accept(orders.front(), group);
  };
  fence(1, seconds{8});
  EXPECT_THAT(master.quarantined(), IsEmpty()) << "once it may have been slow";
  reconnect_liar();
  fence(2, seconds{8});
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("liar", Misdeed::silent)));
  master.pass(seconds{1});
  reconnect_liar();
  fence(3, milliseconds{500});
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("liar", Misdeed::silent)));
}

TEST_F(LyingWorkers, who_never_opens_what_it_started_is_left_out) {
  master.disconnect("honest");
  master.match(1, "g", seconds{90});
  master.grant();
  const auto orders = master.orders();
  ASSERT_THAT(orders, SizeIs(1));
  master.accept(orders.front(), 1);
  master.pass(milliseconds{29'999});
  EXPECT_THAT(master.quarantined(), IsEmpty());
  master.connect("honest", 1);
  master.pass(milliseconds{1});
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("liar", Misdeed::rooms_never_open)));
  master.grant();
  for (const auto& sent : master.take<wire::PrepareSpawn>()) master.promise(sent);
  const auto again = master.orders();
  ASSERT_THAT(again, SizeIs(1)) << "whoever had a seat there is served elsewhere";
  EXPECT_EQ(again.front().worker, WorkerId{"honest"});
}

TEST_F(LyingWorkers, a_room_that_opens_in_time_is_nobodys_fault) {
  master.disconnect("honest");
  master.match(1, "g", seconds{90});
  master.grant();
  master.accept(master.orders().front(), 1);
  master.room("liar", 1, wire::RoomPhase::open);
  master.pass(seconds{60});
  EXPECT_THAT(master.quarantined(), IsEmpty());
}

TEST_F(LyingWorkers, who_refuses_orders_with_room_left_gets_none) {
  master.disconnect("honest");
  for (std::uint32_t i = 0; i < Quarantine::most_refusals; ++i) {
    EXPECT_THAT(master.quarantined(), IsEmpty());
    master.match(1 + i, "g" + std::to_string(i));
    master.grant({}, "g" + std::to_string(i));
    const auto orders = master.orders();
    ASSERT_THAT(orders, SizeIs(1)) << i;
    master.refuse(orders.front(), wire::SpawnOutcome::no_capacity, 10);
  }
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("liar", Misdeed::refuses_orders)));
  EXPECT_TRUE(knows("liar")) << "the rooms that it has are used";
  EXPECT_FALSE(master.matchmaker().directory().can_start(ModeName{"duel"}, 1));
  master.pass(seconds{1});
  EXPECT_TRUE(master.matchmaker().directory().can_start(ModeName{"duel"}, 1));
}

// What players of these groups have sent is not for the game: others get their rooms there.
TEST_F(LyingWorkers, who_refuses_groups_for_what_their_players_have_sent_is_none) {
  master.disconnect("honest");
  for (std::uint32_t i = 0; i < 2 * Quarantine::most_refusals; ++i) {
    master.match(1 + i, "g" + std::to_string(i));
    master.grant({}, "g" + std::to_string(i));
    const auto orders = master.orders();
    ASSERT_THAT(orders, SizeIs(1)) << i;
    master.refuse(orders.front(), wire::SpawnOutcome::mode_paused, 10);
    EXPECT_THAT(master.orders(), IsEmpty()) << "it is not asked again at once";
  }
  EXPECT_THAT(master.quarantined(), IsEmpty());
  EXPECT_TRUE(master.matchmaker().directory().can_start(ModeName{"duel"}, 1));
}

TEST_F(LyingWorkers, an_honest_refusal_is_none) {
  for (std::uint32_t i = 0; i < 2 * Quarantine::most_refusals; ++i) {
    master.match(1 + i, "g" + std::to_string(i));
    master.grant({}, "g" + std::to_string(i));
    for (const auto& order : master.orders()) {
      master.refuse(order, wire::SpawnOutcome::no_capacity, 0);
    }
    master.headroom("honest", 10);
    master.headroom("liar", 10);
  }
  EXPECT_THAT(master.quarantined(), IsEmpty());
}

// The game of one mode is broken; that of the other is not.
TEST(HonestWorkers, a_broken_mode_keeps_no_orders_of_others_from_its_worker) {
  LoneMaster master;
  wire::WorkerState state;
  state.room_limit = state.headroom = 100;
  state.modes.known = {ModeName{"duel"}, ModeName{"brawl"}};
  master.appear("w", 7);
  master.say("w", state);
  const auto asks = [&](std::uint64_t ticket, const char* mode) {
    const std::string group = mode + std::to_string(ticket);
    master.match({TicketId{ticket},
                  GroupChoice{GroupKey{group}},
                  ModeName{mode},
                  1,
                  {PlayerId{group}, {}},
                  master.now + std::chrono::seconds{30}});
    if (master.asked_of_lock<AcquireLock>() == 0) return false;
    master.grant({}, group);
    return true;
  };
  for (std::uint32_t i = 1; i <= Quarantine::most_failures; ++i) {
    ASSERT_TRUE(asks(i, "duel")) << i;
    const auto orders = master.orders();
    ASSERT_THAT(orders, SizeIs(1)) << i;
    master.accept(orders.front(), i);
    master.cancel(i);
    master.room("w", i, wire::RoomPhase::closed, wire::CloseReason::boot_failed);
  }
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("w", Misdeed::rooms_fail)));
  (void)master.asked_of_lock<AcquireLock>();
  EXPECT_FALSE(asks(100, "duel"));
  EXPECT_TRUE(asks(101, "brawl"));
  EXPECT_THAT(master.orders(), SizeIs(1));
  (void)master.asked_of_lock<AcquireLock>();
  master.pass(Quarantine::first);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U) << "it is tried again";
}

TEST_F(LyingWorkers, whose_rooms_all_fail_gets_no_orders) {
  master.disconnect("honest");
  for (std::uint32_t i = 1; i <= Quarantine::most_failures; ++i) {
    EXPECT_THAT(master.quarantined(), IsEmpty());
    const std::string group = "g" + std::to_string(i);
    master.match(i, group);
    master.grant({}, group);
    const auto orders = master.orders();
    ASSERT_THAT(orders, SizeIs(1)) << i;
    master.accept(orders.front(), i);
    master.cancel(i);
    master.room("liar", i, wire::RoomPhase::closed, wire::CloseReason::boot_failed);
  }
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("liar", Misdeed::rooms_fail)));
}

TEST_F(LyingWorkers, who_claims_more_room_than_its_limit_is_believed_up_to_the_limit) {
  master.headroom("liar", std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(master.matchmaker().directory().find(WorkerId{"liar"})->room_left(), 10U);
  wire::RoomsChanged news;
  news.headroom = 10;
  for (std::uint32_t i = 1; i <= 8; ++i) news.opened.push_back(open_room(i, 1));
  master.say("liar", news);
  EXPECT_EQ(master.matchmaker().directory().find(WorkerId{"liar"})->room_left(), 2U);
}

TEST_F(LyingWorkers, cannot_make_the_master_remember_more_rooms_than_any_worker_has) {
  wire::RoomsChanged news;
  for (std::uint32_t i = 1; i <= wire::limits::rooms; ++i) news.opened.push_back(open_room(i, 1));
  master.say("liar", news);
  EXPECT_THAT(master.quarantined(), IsEmpty());
  news.opened.assign(1, open_room(wire::limits::rooms + 1, 1));
  master.say("liar", news);
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("liar", Misdeed::breaks_protocol)));
  EXPECT_THAT(master.matchmaker().directory().rooms_of(GroupKey{"g"}), IsEmpty());
}

TEST_F(LyingWorkers, cannot_make_the_master_remember_more_players_than_any_worker_has) {
  wire::RoomsChanged news;
  std::uint64_t player = 0;
  for (std::uint32_t i = 1; i <= wire::limits::players / 10'000; ++i) {
    news.opened.push_back(open_room(i, 10'000));
    for (int seat = 0; seat < 10'000; ++seat) news.opened.back().players.emplace_back(++player);
  }
  master.say("liar", news);
  EXPECT_THAT(master.quarantined(), IsEmpty());
  wire::RoomsChanged more;
  more.changed.push_back({RoomNumber{1}, wire::RoomPhase::open, {}, 0, {}, {}});
  for (int left = 0; left < 2; ++left) {
    more.changed.front().seated.emplace_back(++player);  // one too many, and one in its place
    master.say("liar", more);
    const Room* room =
        master.matchmaker().directory().find({WorkerId{"liar"}, Incarnation{2}, RoomNumber{1}});
    ASSERT_NE(room, nullptr);
    EXPECT_EQ(room->players.size(), 10'000U);
    more.changed.front().left = {PlayerHash{1}};
  }
  more.changed.clear();
  more.opened = {open_room(100, 1)};
  more.opened.front().players.emplace_back(++player);
  master.say("liar", more);
  EXPECT_THAT(master.quarantined(), ElementsAre(Pair("liar", Misdeed::breaks_protocol)));
}

}  // namespace
}  // namespace fixkeep::master
