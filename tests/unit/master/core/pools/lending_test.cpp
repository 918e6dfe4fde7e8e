// What a master does with its own waiting claims of a pool, whoever holds the lock.
#include "tests/unit/master/core/pools/lending_fixture.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// --- lending -------------------------------------------------------------------------------------

TEST_F(LendingTest, says_how_long_each_claim_has_waited_and_how_often_it_was_passed_over) {
  const ClaimNumber ann = match("ann");
  now += milliseconds{1234};
  const ClaimNumber bob = match("bob");
  EXPECT_THAT(lent(first), ElementsAre(ann, bob));
  close(first, {bob});
  const auto parts = gather(second);
  ASSERT_THAT(parts, SizeIs(1));
  ASSERT_THAT(parts[0].claims, SizeIs(2));
  EXPECT_EQ(parts[0].claims[0].waited, milliseconds{1234});
  EXPECT_EQ(parts[0].claims[0].passed, 0U);
  EXPECT_EQ(parts[0].claims[1].waited, milliseconds{0});
  EXPECT_EQ(parts[0].claims[1].passed, 1U);
  EXPECT_EQ(parts[0].claims[1].claim.brings, "0 1500");
}

TEST_F(LendingTest, counts_each_time_that_a_claim_is_passed_over_while_it_is_on_loan) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  close(first, {ann});
  close(first, {ann});  // it is not on loan any more
  (void)lent(second);
  close(second, {ann});
  EXPECT_EQ(gather({3, other})[0].claims.at(0).passed, 2U);
}

TEST_F(LendingTest, answers_a_hold_with_nothing_of_a_pool_that_nobody_here_waits_for) {
  const auto parts = lending.lend({GroupKey{"else"}, first}, other, now);
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_TRUE(parts[0].last);
  EXPECT_THAT(parts[0].claims, IsEmpty());
}

TEST_F(LendingTest, lends_nothing_of_a_group_that_is_no_pool) {
  (void)groups.find_or_make(GroupKey{"plain"}, {mode, 4});
  EXPECT_THAT(lending.lend({GroupKey{"plain"}, first}, other, now)[0].claims, IsEmpty());
}

TEST_F(LendingTest, answers_in_parts_that_say_which_is_the_last) {
  for (std::size_t i = 0; i <= wire::limits::lent_claims; ++i) (void)match("p" + std::to_string(i));
  const auto parts = gather(first);
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_THAT(parts[0].claims, SizeIs(wire::limits::lent_claims));
  EXPECT_FALSE(parts[0].last);
  EXPECT_EQ(parts[1].index, 1U);
  EXPECT_THAT(parts[1].claims, SizeIs(1));
  EXPECT_TRUE(parts[1].last);
}

TEST_F(LendingTest, makes_no_part_longer_than_a_message_may_be) {
  for (int i = 0; i < 200; ++i) {
    std::vector<PlayerId> party;
    for (int k = 0; k < 63; ++k) {
      party.emplace_back(std::string(100, 'x') + std::to_string(i) + "." + std::to_string(k));
    }
    (void)match("p" + std::to_string(i), std::move(party));
  }
  std::size_t claims_lent = 0;
  for (const wire::ClaimsPart& part : gather(first)) {
    std::size_t bytes = 0;
    for (const wire::LentClaim& claim : part.claims) bytes += bytes_of(claim.claim);
    EXPECT_LE(bytes, Lending::message_bytes);
    claims_lent += part.claims.size();
  }
  EXPECT_EQ(claims_lent, 200U);
}

TEST_F(LendingTest, lends_nothing_to_a_hold_that_is_no_newer_and_keeps_its_claims) {
  const ClaimNumber ann = match("ann");
  EXPECT_THAT(lent(second), ElementsAre(ann));
  close(second);
  EXPECT_THAT(lent(first), IsEmpty());
  EXPECT_EQ(place_of(ann), ClaimPlace::queued);
  EXPECT_THAT(lent({3, other}), ElementsAre(ann));
}

TEST_F(LendingTest, keeps_a_claim_on_loan_out_of_the_queue) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  EXPECT_EQ(place_of(ann), ClaimPlace::lent);
  EXPECT_TRUE(groups.find(pool)->claims->queue.empty());
  EXPECT_THAT(lent({3, self}), IsEmpty());
}

// --- what a holder says --------------------------------------------------------------------------

TEST_F(LendingTest, answers_a_claim_whose_holder_has_seated_it_in_an_open_room) {
  show_open_room();
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  seated(first, ann, room);
  EXPECT_TRUE(answered(1));
  EXPECT_THAT(given_back(), IsEmpty());
  EXPECT_EQ(claims.find(ann), nullptr);
}

TEST_F(LendingTest, waits_with_a_claim_for_a_room_of_which_only_its_holder_has_heard) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  EXPECT_TRUE(requests.pool_claim(TicketId{tickets}).value().undecided);
  seated(first, ann, room);
  EXPECT_FALSE(requests.pool_claim(TicketId{tickets}).value().undecided);
  EXPECT_FALSE(answered(1));
  EXPECT_THAT(directory.find(room), testing::Pointee(testing::Field(&Room::group, pool)));
}

TEST_F(LendingTest, knows_that_a_warm_room_was_given_before_the_news_arrive) {
  show_open_room(wire::warm_pool_of(mode, 64));
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  seated(first, ann, room);
  EXPECT_TRUE(answered(1));
  EXPECT_EQ(directory.find(room)->group, pool);
}

TEST_F(LendingTest, takes_a_claim_back_whose_room_has_a_worker_that_is_away) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  seated(first, ann, {WorkerId{"gone"}, Incarnation{1}, RoomNumber{3}});
  EXPECT_EQ(place_of(ann), ClaimPlace::queued);
  EXPECT_TRUE(due());
}

TEST_F(LendingTest, gives_seats_back_of_a_claim_that_is_not_on_loan_to_that_hold) {
  show_open_room();
  const ClaimNumber ann = match("ann", {PlayerId{"bob"}});
  (void)lent(first);
  break_link(other);
  (void)lent({2, self});
  seated(first, ann, room);  // of whoever could not say so in time
  EXPECT_THAT(given_back(),
              ElementsAre(wire::ReleaseSeats{
                  room.number, {PlayerId{"ann"}, PlayerId{"bob"}}, ReservationId{9}}));
  EXPECT_FALSE(answered(1));
  EXPECT_EQ(place_of(ann), ClaimPlace::lent) << "it is on loan to the hold that came after";
}

TEST_F(LendingTest, gives_seats_of_another_run_of_the_worker_back_when_that_is_here) {
  const ClaimNumber ann = match("ann");
  seated(first, ann, {worker, Incarnation{2}, RoomNumber{3}});
  EXPECT_THAT(given_back(), IsEmpty());
  directory.disconnect(worker);
  connect(Incarnation{2});
  show_open_room(pool, {PlayerId{"ann"}});
  Step current = step();
  lost_seats.returned(worker, ReservationId{12}, current);
  EXPECT_THAT(given_back(),
              ElementsAre(wire::ReleaseSeats{room.number, {PlayerId{"ann"}}, ReservationId{9}}));
}

TEST_F(LendingTest, gives_seats_back_of_which_it_hears_when_the_claim_has_ended) {
  show_open_room();
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  break_link(other);
  hang_up();
  ASSERT_EQ(claims.find(ann), nullptr);
  seated(first, ann, room);  // said once more over a new link
  seated(first, ann, room);
  EXPECT_THAT(given_back(),
              ElementsAre(wire::ReleaseSeats{room.number, {PlayerId{"ann"}}, ReservationId{9}}));
}

TEST_F(LendingTest, keeps_the_seats_of_a_later_hold_of_a_holder_whose_link_broke) {
  show_open_room();
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  break_link(other);
  (void)lent(second);
  seated(second, ann, room);
  EXPECT_TRUE(answered(1));
  seated(second, ann, room);  // that link broke too
  EXPECT_THAT(given_back(), IsEmpty());
}

TEST_F(LendingTest, keeps_the_seats_of_which_it_hears_twice) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  seated(first, ann, room);  // it starts still
  seated(first, ann, room);
  EXPECT_THAT(given_back(), IsEmpty());
  EXPECT_EQ(place_of(ann), ClaimPlace::reserved);
}

TEST_F(LendingTest, keeps_the_seats_of_an_answer_of_which_it_hears_twice) {
  show_open_room();
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  seated(first, ann, room);
  EXPECT_TRUE(answered(1));
  break_link(other);
  seated(first, ann, room);
  EXPECT_THAT(given_back(), IsEmpty());
}

TEST_F(LendingTest, counts_the_time_of_a_seat_from_when_the_claim_was_lent) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  now += seconds{1};
  seated(first, ann, room);
  EXPECT_EQ(std::as_const(claims).at(ann).seats->reserved.asked_at, now - seconds{1});
}

TEST_F(LendingTest, returns_what_is_on_loan_when_the_loan_is_closed) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  close(second);
  EXPECT_EQ(place_of(ann), ClaimPlace::lent);
  close(first);
  EXPECT_EQ(place_of(ann), ClaimPlace::queued);
  EXPECT_THAT(lent({3, other}), ElementsAre(ann));
}

TEST_F(LendingTest, returns_what_a_holder_had_whose_link_broke) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  break_link(self);
  EXPECT_EQ(place_of(ann), ClaimPlace::lent);
  break_link(other);
  EXPECT_EQ(place_of(ann), ClaimPlace::queued);
  EXPECT_TRUE(due());
}

TEST_F(LendingTest, drops_a_claim_on_loan_whose_client_has_hung_up) {
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  hang_up();
  close(first);
  EXPECT_EQ(claims.find(ann), nullptr);
}

TEST_F(LendingTest, gives_the_seats_back_of_whoever_has_hung_up_meanwhile) {
  show_open_room();
  const ClaimNumber ann = match("ann");
  (void)lent(first);
  hang_up();
  seated(first, ann, room);
  EXPECT_THAT(given_back(),
              ElementsAre(wire::ReleaseSeats{room.number, {PlayerId{"ann"}}, ReservationId{9}}));
  EXPECT_EQ(claims.find(ann), nullptr);
}

// --- when a pool is due --------------------------------------------------------------------------

TEST_F(LendingTest, is_not_due_after_a_decision_that_could_do_nothing_until_a_limit_widens) {
  (void)match("ann");
  const TimePoint came = now;
  now += seconds{1};
  (void)lent(first);
  close(first);
  EXPECT_FALSE(due());
  now = came + seconds{10} - milliseconds{1};
  EXPECT_FALSE(due());
  now = came + seconds{10};
  EXPECT_TRUE(due()) << "fewer may start";
  (void)lent(second);
  close(second);
  now = came + seconds{20} - milliseconds{1};
  EXPECT_FALSE(due());
  now = came + seconds{20};  // the distance is wider
  EXPECT_TRUE(due());
  (void)lent({3, other});
  close({3, other});
  now += minutes{5};
  EXPECT_FALSE(due());
}

}  // namespace
}  // namespace fixkeep::master
