// What becomes of the decision of a pool's holder: answers of workers, locks and links that are
// lost, and what other holders say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/master/core/orders/pool_holder.hpp"

namespace fixkeep::master {
namespace {

using testing::_;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

using std::chrono::seconds;

struct PoolAnswers : PoolHolder {};

// --- telling -------------------------------------------------------------------------------------

TEST_F(PoolAnswers, tells_seats_then_closes_each_loan_and_gives_the_lock_on_last) {
  const wire::SpawnRoom order = ordered_for_three();
  EXPECT_FALSE(asked_lock<ReleaseLock>()) << "the answer decides what is told";
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2), IsEmpty());
  start(order);
  const auto told = to_peer<wire::ClaimsSeated>(m2);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_THAT(told[0].claims, UnorderedElementsAre(11U, 12U));
  EXPECT_EQ(told[0].hold, our_hold);
  EXPECT_EQ(told[0].reservation, ReservationId{5});
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2),
              ElementsAre(wire::CloseLoan{battle, our_hold, {}, false}));
  EXPECT_TRUE(asked_lock<ReleaseLock>());
}

// --- teams ---------------------------------------------------------------------------------------

struct TeamAnswers : PoolAnswers {
  TeamAnswers() {
    auto with_teams = std::make_shared<plan::Rules>(*rules);
    with_teams->teams = plan::TeamRule{.count = 3, .size = 1, .number = std::nullopt};
    with_teams->size.least = 3;
    rules = std::move(with_teams);
  }
  void open() {
    wire::RoomsChanged opened{.headroom = 9};
    opened.changed = {{.number = RoomNumber{40},
                       .phase = wire::RoomPhase::open,
                       .opened_at = wire::WorkerTime{1}}};
    say(opened);
  }
  // Lends ann's claim to m2, and returns its number.
  std::uint64_t lend_ann(std::vector<PlayerId> party = {}) {
    connect({room(3, {})});
    match("ann", 1500, std::move(party));
    say(m2, wire::Gather{battle, {8, m2}});
    return to_peer<wire::ClaimsPart>(m2).at(0).claims.at(0).number;
  }
  void seat_in_team(std::uint64_t number, std::vector<std::uint32_t> teams) {
    const RoomId id{w, Incarnation{1}, RoomNumber{3}};
    say(m2, wire::ClaimsSeated{
                battle, {8, m2}, id, duel, 3, ReservationId{4}, {}, seconds{15}, {number}, teams});
  }
  [[nodiscard]] std::vector<std::string> teams_told() const {
    std::vector<std::string> teams;
    for (const Action& action : actions) {
      if (const auto* seated = std::get_if<Seated>(&action)) teams.emplace_back(seated->team(0));
    }
    return teams;
  }
};

TEST_F(TeamAnswers, the_game_the_player_and_the_lender_hear_the_same_team) {
  const wire::SpawnRoom order = ordered_for_three();
  std::map<std::string, std::string> of_game;
  for (const wire::Claim& claim : order.claims) {
    of_game[claim.player.text()] = claim.lineup.at(0).team;
  }
  EXPECT_THAT(of_game, UnorderedElementsAre(Pair("ann", _), Pair("bob", _), Pair("cid", _)));
  EXPECT_THAT(std::set({of_game["ann"], of_game["bob"], of_game["cid"]}),
              ElementsAre("1", "2", "3"));
  start(order);
  open();
  EXPECT_THAT(teams_told(), ElementsAre(of_game["ann"]));
  const auto told = to_peer<wire::ClaimsSeated>(m2);
  ASSERT_THAT(told, SizeIs(1));
  ASSERT_THAT(told[0].teams, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    const auto name = told[0].claims[i] == 11 ? "bob" : "cid";
    EXPECT_EQ(std::to_string(told[0].teams[i]), of_game[name]);
  }
}

TEST_F(TeamAnswers, a_lent_claim_hears_the_team_that_the_holder_decided) {
  const auto number = lend_ann();
  seat_in_team(number, {3});
  EXPECT_THAT(teams_told(), ElementsAre("3")) << "its worker has not told the seat yet";
}

TEST_F(TeamAnswers, what_the_worker_tells_about_a_seat_counts) {
  const auto number = lend_ann();
  wire::RoomsChanged seated{.headroom = 9};
  seated.opened = {room(3, {{"ann", "1 1500"}})};
  say(seated);
  seat_in_team(number, {3});
  EXPECT_THAT(teams_told(), ElementsAre("2"));
}

// The mode got another number after the seat was given.
TEST_F(TeamAnswers, a_team_stays_known_after_the_rules_change) {
  const auto number = lend_ann();
  wire::RoomsChanged seated{.headroom = 9};
  seated.opened = {room(3, {{"ann", "1"}})};
  say(seated);
  seat_in_team(number, {3});
  EXPECT_THAT(teams_told(), ElementsAre("2"));
}

// They had seats before they became a party.
TEST_F(TeamAnswers, each_player_of_a_party_hears_its_own_team) {
  const auto number = lend_ann({PlayerId{"bob"}, PlayerId{"cid"}});
  wire::RoomsChanged seated{.headroom = 9};
  seated.opened = {room(3, {{"ann", "1 1500"}, {"bob", "0 1500"}})};
  say(seated);
  seat_in_team(number, {3});
  const auto& told = std::get<Seated>(*std::ranges::find_if(
      actions, [](const Action& action) { return std::holds_alternative<Seated>(action); }));
  EXPECT_THAT(told.teams, ElementsAre("2", "1", "3"));
}

TEST_F(TeamAnswers, a_holder_that_knows_no_teams_tells_none) {
  seat_in_team(lend_ann(), {});
  EXPECT_THAT(teams_told(), ElementsAre(""));
}

// -------------------------------------------------------------------------------------------------

TEST_F(PoolAnswers, tells_only_those_who_were_granted_seats) {
  connect({room(3, {{"eve", brings(1500)}})});
  match("ann", 1510);
  grant();
  lend({lent(1, "bob", 1520)});
  promise({room(3, {{"eve", brings(1500)}})});
  const auto asked = to_worker<wire::SeatRequest>();
  ASSERT_THAT(asked, SizeIs(1));
  const bool bob_first = asked[0].claims[0].player.text() == "bob";
  seat(asked[0], {bob_first ? 1U : 0U});
  EXPECT_THAT(to_peer<wire::ClaimsSeated>(m2), IsEmpty());
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2),
              ElementsAre(wire::CloseLoan{battle, our_hold, {}, true}))
      << "bob is to be decided for again";
}

TEST_F(PoolAnswers, tells_nothing_of_a_claim_whose_masters_link_broke_before_the_answer) {
  const wire::SpawnRoom order = ordered_for_three();
  core.step(PeerDisconnected{m2}, now, actions);
  core.step(PeerConnected{m2}, now, actions);
  start(order);
  EXPECT_THAT(to_peer<wire::ClaimsSeated>(m2), IsEmpty());
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2), IsEmpty());
}

TEST_F(PoolAnswers, repeats_over_a_new_link_what_it_told_shortly_before_the_last_one_broke) {
  start(ordered_for_three());
  const auto told = to_peer<wire::ClaimsSeated>(m2);
  ASSERT_THAT(told, SizeIs(1));
  pass(ToldSeats::may_be_lost - seconds{1});
  forget_sent();
  core.step(PeerDisconnected{m2}, now, actions);
  pass(seconds{60});
  core.step(PeerConnected{m2}, now, actions);
  EXPECT_EQ(to_peer<wire::ClaimsSeated>(m2), told);
}

TEST_F(PoolAnswers, repeats_nothing_that_was_surely_heard) {
  start(ordered_for_three());
  pass(ToldSeats::may_be_lost);
  forget_sent();
  core.step(PeerDisconnected{m2}, now, actions);
  core.step(PeerConnected{m2}, now, actions);
  EXPECT_THAT(to_peer<wire::ClaimsSeated>(m2), IsEmpty());
}

TEST_F(PoolAnswers, has_a_room_that_was_not_started_decided_for_again) {
  const wire::SpawnRoom order = ordered_for_three();
  refuse(order, wire::SpawnOutcome::no_capacity);
  EXPECT_THAT(to_peer<wire::ClaimsSeated>(m2), IsEmpty());
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2),
              ElementsAre(wire::CloseLoan{battle, our_hold, {}, true}));
}

TEST_F(PoolAnswers, has_an_order_that_a_later_fence_made_void_decided_for_again) {
  const wire::SpawnRoom order = ordered_for_three();
  refuse(order, wire::SpawnOutcome::stale_token);
  EXPECT_THAT(to_peer<wire::ClaimsSeated>(m2), IsEmpty());
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2),
              ElementsAre(wire::CloseLoan{battle, our_hold, {}, true}));
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), SizeIs(1)) << "it orders no other in its place";
}

TEST_F(PoolAnswers, closes_the_loans_when_the_worker_goes_before_it_answers) {
  (void)ordered_for_three();
  core.step(WorkerDisconnected{w}, now, actions);
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2),
              ElementsAre(wire::CloseLoan{battle, our_hold, {}, true}));
}

// The answer may overtake the news that say the same, and then those tell nothing new.
TEST_F(PoolAnswers, sets_those_free_who_had_seats_in_a_room_that_an_answer_shows_closed) {
  start(ordered_for_three());  // ann waits for its opening
  wire::RoomsChanged left{.headroom = 9};
  left.changed = {{.number = RoomNumber{40}, .left = {PlayerId{"cid"}}}};
  say(left);
  pass(seconds{1});
  match("dan", 1510);
  grant({8, self});
  lend({}, {8, self});
  promise();
  const auto asked = to_worker<wire::SeatRequest>();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_THAT(players(asked[0].claims), ElementsAre("dan"));
  wire::SeatReply reply{.request = asked[0].request, .room = asked[0].room};
  reply.phase = wire::RoomPhase::closed;
  reply.reason = wire::CloseReason::crashed;
  say(reply);
  forget_sent();
  say(m2, wire::Gather{battle, {9, m2}});
  const auto parts = to_peer<wire::ClaimsPart>(m2);
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_THAT(parts[0].claims, SizeIs(2)) << "ann waits anew, and dan";
}

// --- without the lock ----------------------------------------------------------------------------

TEST_F(PoolAnswers, goes_on_without_the_lock_until_all_its_answers_have_come) {
  const wire::SpawnRoom order = ordered_for_three();
  forget_sent();
  lose_lock();
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2), IsEmpty());
  match("dan", 1500);
  pass(seconds{1});
  EXPECT_FALSE(asked_lock<AcquireLock>()) << "a decision of its own is not over";
  start(order);
  EXPECT_THAT(to_peer<wire::ClaimsSeated>(m2), SizeIs(1));
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2), SizeIs(1));
  EXPECT_TRUE(asked_lock<AcquireLock>()) << "for dan";
}

TEST_F(PoolAnswers, ends_its_loans_when_the_lock_is_lost_before_it_has_decided) {
  connect();
  match("ann", 1500);
  grant();
  forget_sent();
  lose_lock();
  EXPECT_THAT(to_peer<wire::CloseLoan>(m2),
              ElementsAre(wire::CloseLoan{battle, our_hold, {}, true}));
  pass(seconds{1});
  EXPECT_TRUE(asked_lock<AcquireLock>()) << "ann waits still";
}

// --- what other holders say ----------------------------------------------------------------------

TEST_F(PoolAnswers, lends_its_claims_to_another_holder_and_asks_for_no_lock_meanwhile) {
  connect();
  match("ann", 1500);
  EXPECT_TRUE(asked_lock<AcquireLock>());
  forget_sent();
  say(m2, wire::Gather{battle, {8, m2}});
  const auto parts = to_peer<wire::ClaimsPart>(m2);
  ASSERT_THAT(parts, SizeIs(1));
  ASSERT_THAT(parts[0].claims, SizeIs(1));
  EXPECT_EQ(parts[0].claims[0].claim.player.text(), "ann");
  EXPECT_TRUE(asked_lock<AbandonLock>());
}

TEST_F(PoolAnswers, hears_nothing_of_a_master_that_it_has_no_link_to) {
  connect();
  match("ann", 1500);
  say(m3, wire::Gather{battle, {8, m3}});
  EXPECT_THAT(to_peer<wire::ClaimsPart>(m3), IsEmpty());
}

TEST_F(PoolAnswers, closes_the_link_of_a_master_that_speaks_for_the_hold_of_another) {
  connect();
  match("ann", 1500);
  say(m2, wire::Gather{battle, {8, m3}});
  EXPECT_TRUE(closed_link(m2));
  EXPECT_THAT(to_peer<wire::ClaimsPart>(m2), IsEmpty());
  forget_sent();
  say(m2, wire::CloseLoan{battle, {8, m3}, {}, false});
  EXPECT_TRUE(closed_link(m2));
  forget_sent();
  say(m2,
      wire::ClaimsSeated{
          battle, {8, m3}, {w, Incarnation{1}, RoomNumber{1}}, duel, 3, {}, {}, seconds{1}, {1}});
  EXPECT_TRUE(closed_link(m2));
}

}  // namespace
}  // namespace fixkeep::master
