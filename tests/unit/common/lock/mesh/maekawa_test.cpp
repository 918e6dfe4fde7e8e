// The machine on its own: what it says to whom, and when. How masters behave together is in
// tests/scenarios/lock and tests/model.
#include "common/lock/mesh/maekawa.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/lock/mesh/machines.hpp"

namespace fixkeep::lock {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Kind = MaekawaKind;

LockEvent says(std::size_t peer, Kind kind, std::uint64_t time) {
  return Receive{id_of(peer), message(kind, time)};
}

Maekawa of_majority(std::size_t self, std::size_t masters) {
  auto mesh = joined_mesh(self, masters);
  mesh.quorum = Quorum::majority;
  return Maekawa{mesh};
}

TEST(Maekawa, is_a_regular_value) {
  Maekawa machine{joined_mesh(1, 4)};
  std::vector<Maekawa> seen{machine};
  for (const LockEvent& event :
       {says(2, Kind::request, 4), LockEvent{Acquire{}}, says(3, Kind::request, 9),
        says(2, Kind::release, 4), LockEvent{PeerDown{id_of(4)}}, says(2, Kind::locked, 5),
        says(3, Kind::failed, 5), LockEvent{Abandon{}}}) {
    (void)step(machine, event);
    seen.push_back(machine);
  }
  EXPECT_TRUE(all_distinct(seen));
  const Maekawa copy = machine;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy, machine);
}

// Of nine in a grid of three by three, 5 is in the middle.
TEST(Maekawa, asks_its_row_and_its_column) {
  Maekawa machine{joined_mesh(5, 9)};
  EXPECT_THAT(step(machine, Acquire{}),
              ElementsAre("Request(1)>2", "Request(1)>4", "Request(1)>6", "Request(1)>8"));
  for (const std::size_t voter : {2, 4, 6}) {
    EXPECT_THAT(step(machine, says(voter, Kind::locked, 1)), IsEmpty());
    EXPECT_THAT(step(machine, says(voter, Kind::locked, 1)), IsEmpty());  // counts once
  }
  EXPECT_THAT(step(machine, says(1, Kind::locked, 1)), IsEmpty());  // it was not asked
  EXPECT_THAT(step(machine, says(8, Kind::locked, 2)), IsEmpty());  // another request
  EXPECT_THAT(step(machine, says(8, Kind::locked, 1)), ElementsAre("granted fence"));
  EXPECT_THAT(step(machine, Release{machine.highest(), {}}),
              ElementsAre("Release(1)>2", "Release(1)>4", "Release(1)>6", "Release(1)>8"));
  EXPECT_TRUE(machine.forgettable());
}

TEST(Maekawa, asks_another_one_for_a_majority_if_one_goes_down) {
  auto machine = of_majority(4, 5);
  EXPECT_THAT(step(machine, Acquire{}), ElementsAre("Request(1)>5", "Request(1)>1"));
  EXPECT_THAT(step(machine, says(5, Kind::locked, 1)), IsEmpty());
  EXPECT_THAT(step(machine, PeerDown{id_of(5)}), ElementsAre("Request(1)>2"));
  EXPECT_THAT(step(machine, PeerDown{id_of(1)}), ElementsAre("Request(1)>3"));
  EXPECT_THAT(step(machine, says(2, Kind::locked, 1)), IsEmpty());
  EXPECT_THAT(step(machine, says(3, Kind::locked, 1)), ElementsAre("granted fence"));
}

TEST(Maekawa, a_grid_waits_for_a_member_of_its_quorum_that_is_away) {
  Maekawa machine{joined_mesh(1, 2)};
  (void)step(machine, PeerDown{id_of(2)});
  EXPECT_THAT(step(machine, Acquire{}), IsEmpty());
  EXPECT_EQ(machine.state(), "asking");
  EXPECT_EQ(machine.hello()->kind, static_cast<int>(Kind::request));
  (void)step(machine, PeerConnected{id_of(2)});
  (void)step(machine, PeerUp{id_of(2), {}});
  EXPECT_THAT(step(machine, says(2, Kind::locked, 1)), ElementsAre("granted fence"));
  EXPECT_EQ(machine.hello()->kind, static_cast<int>(Kind::held));
}

TEST(Maekawa, a_voter_has_one_vote_and_asks_it_back_for_a_better_request) {
  Maekawa voter{joined_mesh(1, 4)};
  EXPECT_THAT(step(voter, says(3, Kind::request, 5)), ElementsAre("LockedAfterLapse(5)>3"));
  EXPECT_THAT(step(voter, says(4, Kind::request, 6)), ElementsAre("Failed(6)>4"));
  EXPECT_THAT(step(voter, says(2, Kind::request, 5)), ElementsAre("Inquire(5)>3"));
  EXPECT_THAT(step(voter, says(3, Kind::relinquish, 4)), IsEmpty());  // another request
  EXPECT_THAT(step(voter, says(3, Kind::relinquish, 5)), ElementsAre("LockedAfterLapse(5)>2"));
  EXPECT_THAT(step(voter, says(2, Kind::release, 5)), ElementsAre("Locked(5)>3"));
  EXPECT_THAT(step(voter, says(3, Kind::release, 5)), ElementsAre("Locked(6)>4"));
}

// The correction of Sanders: without it, 3 would hope for ever.
TEST(Maekawa, who_is_pushed_from_the_head_of_the_queue_is_told) {
  Maekawa voter{joined_mesh(1, 4)};
  (void)step(voter, says(4, Kind::request, 9));
  EXPECT_THAT(step(voter, says(3, Kind::request, 8)), ElementsAre("Inquire(9)>4"));
  EXPECT_THAT(step(voter, says(2, Kind::request, 7)), ElementsAre("Failed(8)>3"));
}

TEST(Maekawa, a_candidate_gives_back_a_vote_only_when_it_cannot_have_them_all) {
  Maekawa machine{joined_mesh(1, 4)};
  (void)step(machine, Acquire{});
  (void)step(machine, says(2, Kind::locked, 1));
  EXPECT_THAT(step(machine, says(2, Kind::inquire, 1)), IsEmpty());
  EXPECT_THAT(step(machine, says(3, Kind::failed, 1)), ElementsAre("Relinquish(1)>2"));
  (void)step(machine, says(2, Kind::locked, 1));
  EXPECT_THAT(step(machine, says(3, Kind::locked, 1)), ElementsAre("granted fence"));
  EXPECT_THAT(step(machine, says(2, Kind::inquire, 1)), IsEmpty());  // too late
}

TEST(Maekawa, a_vote_stays_with_a_candidate_that_is_cut_off_for_two_leases) {
  Maekawa voter{joined_mesh(1, 3)};
  const TimePoint start{seconds{100}};
  (void)step(voter, says(2, Kind::request, 1), start);
  LockActions actions;
  voter.step(PeerDown{id_of(2)}, start, actions);
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(std::get<SetTimer>(actions[0]).at, start + seconds{10});
  EXPECT_FALSE(voter.forgettable());
  EXPECT_THAT(step(voter, says(3, Kind::request, 2), start), ElementsAre("Failed(2)>3"));
  EXPECT_THAT(step(voter, Tick{}, start + seconds{10}), ElementsAre("LockedAfterLapse(2)>3"));
}

TEST(Maekawa, a_hello_says_what_became_of_a_vote) {
  Maekawa voter{joined_mesh(1, 3)};
  (void)step(voter, says(2, Kind::request, 1));
  (void)step(voter, PeerDown{id_of(2)});
  (void)step(voter, says(3, Kind::request, 2));
  (void)step(voter, PeerConnected{id_of(2)});
  auto holds = voter;
  EXPECT_THAT(step(holds, PeerUp{id_of(2), message(Kind::held, 1)}), ElementsAre("no timer"));
  auto asks = voter;
  EXPECT_THAT(step(asks, PeerUp{id_of(2), message(Kind::request, 1)}),
              ElementsAre("LockedAfterLapse(1)>2", "no timer"));
  EXPECT_THAT(step(voter, PeerUp{id_of(2), {}}), ElementsAre("LockedAfterLapse(2)>3", "no timer"));
}

TEST(Maekawa, a_voter_that_has_forgotten_votes_when_all_hellos_were_heard) {
  MeshView mesh{.self = id_of(1), .configured = {id_of(2), id_of(3)}};
  Maekawa voter{mesh};
  for (const std::size_t peer : {2, 3}) (void)step(voter, PeerConnected{id_of(peer)});
  (void)step(voter, PeerUp{id_of(2), {}});
  EXPECT_THAT(step(voter, says(2, Kind::request, 3)), ElementsAre("Failed(3)>2"));
  auto of_another = voter;
  EXPECT_THAT(step(of_another, PeerUp{id_of(3), message(Kind::held, 2)}), IsEmpty());
  EXPECT_THAT(step(voter, PeerUp{id_of(3), {}}), ElementsAre("LockedAfterLapse(3)>2"));
}

TEST(Maekawa, a_voter_that_has_forgotten_votes_two_leases_after_the_grace) {
  Maekawa voter{MeshView{.self = id_of(1), .configured = {id_of(2), id_of(3)}}};
  (void)step(voter, PeerConnected{id_of(2)});
  (void)step(voter, PeerUp{id_of(2), {}});
  const TimePoint start{seconds{100}};
  LockActions actions;
  voter.step(JoinGraceLapsed{}, start, actions);
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(std::get<SetTimer>(actions[0]).at, start + seconds{10});
  EXPECT_THAT(step(voter, says(2, Kind::request, 3), start), ElementsAre("Failed(3)>2"));
  EXPECT_THAT(step(voter, Tick{}, start + seconds{10}), ElementsAre("LockedAfterLapse(3)>2"));
}

TEST(Maekawa, a_peer_that_asks_without_end_has_one_place_in_the_queue) {
  Maekawa voter{joined_mesh(1, 3)};
  (void)step(voter, says(2, Kind::request, 1));
  for (std::uint64_t time = 2; time < 100; ++time) {
    EXPECT_THAT(step(voter, says(3, Kind::request, time)),
                ElementsAre("Failed(" + std::to_string(time) + ")>3"));
  }
  EXPECT_THAT(step(voter, says(2, Kind::release, 1)), ElementsAre("Locked(99)>3"));
  EXPECT_THAT(step(voter, says(3, Kind::release, 99)), IsEmpty());
  EXPECT_TRUE(voter.forgettable());
}

TEST(Maekawa, hears_nothing_of_who_is_not_up_nor_of_other_kinds_nor_of_times_without_measure) {
  Maekawa machine{joined_mesh(1, 3)};
  const Maekawa before = machine;
  EXPECT_THAT(step(machine, says(9, Kind::request, 1)), IsEmpty());
  EXPECT_THAT(step(machine, says(2, static_cast<Kind>(77), 1)), IsEmpty());
  EXPECT_THAT(step(machine, says(2, Kind::request, without_measure)), IsEmpty());
  EXPECT_EQ(machine, before);
  EXPECT_EQ(Maekawa::kind_name(77), "?");
}

}  // namespace
}  // namespace fixkeep::lock
