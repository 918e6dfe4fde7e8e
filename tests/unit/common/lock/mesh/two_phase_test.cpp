// The machine on its own, and a few of them that meet. How masters behave together is in
// tests/scenarios/lock and tests/model.
#include "common/lock/mesh/two_phase.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/common/lock/mesh/machines.hpp"
#include "tests/unit/common/lock/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Kind = TwoPhaseKind;

TimePoint timer_of(TwoPhase& machine, const LockEvent& event, TimePoint now) {
  LockActions actions;
  machine.step(event, now, actions);
  for (const auto& action : actions) {
    if (const auto* timer = std::get_if<SetTimer>(&action)) return timer->at;
  }
  return TimePoint{};
}

TEST(TwoPhase, is_a_regular_value) {
  TwoPhase machine{joined_mesh(1, 3)};
  std::vector<TwoPhase> seen{machine};
  for (const LockEvent& event :
       {LockEvent{Receive{id_of(2), message(Kind::prepare, 4)}}, LockEvent{Acquire{}},
        LockEvent{Receive{id_of(2), message(Kind::commit, 4)}}, LockEvent{Tick{}},
        LockEvent{Receive{id_of(2), message(Kind::yes, 1)}},
        LockEvent{Receive{id_of(3), message(Kind::no, 1)}}, LockEvent{Tick{}},
        LockEvent{Receive{id_of(2), message(Kind::yes, 2)}},
        LockEvent{Receive{id_of(3), message(Kind::yes, 2)}},
        LockEvent{Release{{1, id_of(1)}, {.stamp = {1, id_of(1)}, .bytes = "rooms"}}},
        LockEvent{Receive{id_of(2), message(Kind::acknowledge, 2)}},
        LockEvent{PeerDown{id_of(3)}}}) {
    (void)step(machine, event);
    seen.push_back(machine);
  }
  EXPECT_TRUE(all_distinct(seen));
  const TwoPhase copy = machine;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy, machine);
}

TEST(TwoPhase, is_granted_by_all_votes_and_forgotten_when_all_have_acknowledged) {
  TwoPhase machine{joined_mesh(1, 3)};
  EXPECT_THAT(step(machine, Acquire{}), ElementsAre("Prepare(1)>2", "Prepare(1)>3", "timer"));
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::yes, 1)}), IsEmpty());
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::yes, 1)}), IsEmpty());  // counts once
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::yes, 1)}),
              ElementsAre("no timer", "granted fence"));
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::prepare, 1)}), ElementsAre("No(1)>3"));
  EXPECT_THAT(step(machine, Release{{1, id_of(1)}, {}}), ElementsAre("Commit(1)>2", "Commit(1)>3"));
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::acknowledge, 1)}), IsEmpty());
  EXPECT_FALSE(machine.forgettable());
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::acknowledge, 1)}), IsEmpty());
  EXPECT_TRUE(machine.forgettable());
}

TEST(TwoPhase, has_one_vote_until_it_hears_the_outcome) {
  TwoPhase machine{joined_mesh(1, 3)};
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::prepare, 4)}), ElementsAre("Yes(4)>2"));
  EXPECT_EQ(machine.state(), "prepared");
  EXPECT_FALSE(machine.forgettable());
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::prepare, 9)}), ElementsAre("No(9)>3"));
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::abort, 9)}), IsEmpty());
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::abort, 3)}), IsEmpty());  // another one
  EXPECT_EQ(machine.state(), "prepared");
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::commit, 4)}), ElementsAre("Ack(4)>2"));
  EXPECT_EQ(machine.state(), "idle");
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::prepare, 9)}), ElementsAre("Yes(9)>3"));
  EXPECT_THAT(step(machine, PeerDown{id_of(3)}), IsEmpty());  // presumed to have aborted
  EXPECT_EQ(machine.state(), "idle");
}

TEST(TwoPhase, waits_for_the_outcome_of_another_and_then_a_while) {
  TwoPhase machine{joined_mesh(1, 3)};
  (void)step(machine, Receive{id_of(2), message(Kind::prepare, 4)});
  EXPECT_THAT(step(machine, Acquire{}), IsEmpty());
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::abort, 4)}), ElementsAre("timer"));
  // Somebody else is quicker.
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::prepare, 1)}), ElementsAre("Yes(1)>3"));
  EXPECT_THAT(step(machine, Tick{}), IsEmpty());
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::commit, 1)}),
              ElementsAre("Ack(1)>3", "timer"));
  EXPECT_THAT(step(machine, Tick{}), ElementsAre("Prepare(1)>2", "Prepare(1)>3", "timer"));
}

TEST(TwoPhase, one_no_aborts_and_it_tries_again) {
  TwoPhase machine{joined_mesh(1, 3)};
  (void)step(machine, Acquire{});
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::no, 1)}),
              ElementsAre("Abort(1)>3", "timer"));
  EXPECT_EQ(machine.state(), "waiting");
  // Late, and for a proposal that is over.
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::yes, 1)}), IsEmpty());
  EXPECT_THAT(step(machine, Tick{}), ElementsAre("Prepare(2)>2", "Prepare(2)>3", "timer"));
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::no, 1)}), IsEmpty());
  EXPECT_THAT(step(machine, Abandon{}), ElementsAre("Abort(2)>2", "Abort(2)>3", "no timer"));
  EXPECT_TRUE(machine.forgettable());
  EXPECT_THAT(step(machine, Tick{}), IsEmpty());
}

TEST(TwoPhase, a_vote_that_takes_too_long_aborts) {
  TwoPhase machine{joined_mesh(1, 2)};
  TimePoint now{milliseconds{7}};
  for (const int doubled : {1, 2, 4, 8, 8, 8}) {
    const auto late = timer_of(machine, doubled == 1 ? LockEvent{Acquire{}} : Tick{}, now);
    EXPECT_EQ(late, now + vote_timeout * doubled);
    const auto again = timer_of(machine, Tick{}, late);
    EXPECT_GT(again, late);
    now = again;
  }
}

TEST(TwoPhase, pauses_double_and_part_masters) {
  std::vector<Duration> of_first_try;
  for (std::size_t self = 1; self <= 20; ++self) {
    TwoPhase machine{joined_mesh(self, 21)};
    auto longest = longest_pause;
    (void)step(machine, Acquire{});
    for (std::uint64_t round = 1; round <= 12; ++round) {
      const auto at =
          timer_of(machine, Receive{id_of(21), message(Kind::no, round)}, start_of_time);
      longest = std::min(longest * 2, longest_pause * 128);
      EXPECT_GT(at, start_of_time);
      EXPECT_LE(at, start_of_time + longest);
      if (round == 1) of_first_try.push_back(at - start_of_time);
      (void)step(machine, Tick{});
    }
  }
  std::sort(of_first_try.begin(), of_first_try.end());
  EXPECT_LT(of_first_try.front(), longest_pause / 2);
  EXPECT_GT(of_first_try.back(), longest_pause * 3 / 2);
  EXPECT_EQ(std::adjacent_find(of_first_try.begin(), of_first_try.end()), of_first_try.end());
}

TEST(TwoPhase, nine_masters_that_meet_are_all_served_in_the_end) {
  TableMesh mesh{9, {.strategy = "two-phase"}};
  for (int master = 1; master <= 9; ++master) mesh.acquire(master, "a");
  mesh.deliver_all();
  EXPECT_THAT(mesh.take_news(), IsEmpty());  // each refused all others
  std::vector<std::string> served;
  for (int i = 0; i < 5'000 && served.size() < 9; ++i) {
    mesh.pass(milliseconds{1});
    for (const auto& news : mesh.take_news()) {
      EXPECT_THAT(news, testing::HasSubstr("granted a"));
      served.push_back(news.substr(0, 1));
      mesh.release(news[0] - '0', "a");
      mesh.deliver_all();
    }
  }
  std::sort(served.begin(), served.end());
  EXPECT_THAT(served, ElementsAre("1", "2", "3", "4", "5", "6", "7", "8", "9"));
}

TEST(TwoPhase, a_hello_proposes_again_and_is_voted_on) {
  TwoPhase machine{joined_mesh(1, 3)};
  EXPECT_FALSE(machine.hello());
  (void)step(machine, Acquire{});
  ASSERT_TRUE(machine.hello());
  EXPECT_EQ(machine.hello()->round, 1U);
  (void)step(machine, PeerDown{id_of(2)});
  (void)step(machine, PeerConnected{id_of(2)});
  EXPECT_THAT(step(machine, PeerUp{id_of(2), message(Kind::prepare, 6)}), ElementsAre("No(6)>2"));
  (void)step(machine, Receive{id_of(3), message(Kind::yes, 1)});
  EXPECT_EQ(machine.state(), "preparing");  // 2 has to vote too
  EXPECT_THAT(step(machine, PeerDown{id_of(2)}), ElementsAre("no timer", "granted fence"));
  EXPECT_TRUE(machine.hello());
  (void)step(machine, Release{{1, id_of(1)}, {}});
  EXPECT_FALSE(machine.hello());
  (void)step(machine, PeerConnected{id_of(2)});
  EXPECT_THAT(step(machine, PeerUp{id_of(2), message(Kind::prepare, 6)}), ElementsAre("Yes(6)>2"));
}

TEST(TwoPhase, ignores_rubbish) {
  TwoPhase machine{joined_mesh(1, 3)};
  (void)step(machine, Acquire{});
  const auto before = machine;
  for (const auto kind : {0, 7, 255}) {
    EXPECT_THAT(step(machine, Receive{id_of(2), message(kind, 1)}), IsEmpty());
    EXPECT_EQ(TwoPhase::kind_name(static_cast<std::uint8_t>(kind)), "?");
  }
  for (const auto kind : {Kind::yes, Kind::no, Kind::abort, Kind::acknowledge}) {
    EXPECT_THAT(step(machine, Receive{id_of(2), message(kind, without_measure)}), IsEmpty());
  }
  for (const auto kind : {Kind::prepare, Kind::yes, Kind::no, Kind::commit, Kind::abort}) {
    EXPECT_THAT(step(machine, Receive{id_of(9), message(kind, 1)}), IsEmpty());
  }
  EXPECT_EQ(machine, before);
}

}  // namespace
}  // namespace fixkeep::lock
