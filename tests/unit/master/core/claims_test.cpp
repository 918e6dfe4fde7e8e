#include "master/core/claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace fixkeep::master {
namespace {

using testing::ElementsAre;

struct WaitingClaims : testing::Test {
  Group& group(const std::string& key) {
    Group& made = groups.find_or_make(GroupKey{key});
    made.mode = ModeName{"duel"};
    return made;
  }
  ClaimNumber add(const std::string& player, const std::string& key = "g",
                  std::vector<PlayerId> party = {}, SeatScope scope = SeatScope::mode) {
    return claims.add(group(key), {PlayerId{player}, std::move(party)}, scope);
  }
  std::size_t marked() {
    std::size_t ran = 0;
    groups.run_marked([&](const Group&) { ++ran; });
    return ran;
  }

  const TimePoint now{Duration{100}};
  const RoomId room{WorkerId{"w"}, Incarnation{1}, RoomNumber{1}};
  const RoomId other_room{WorkerId{"w"}, Incarnation{1}, RoomNumber{2}};
  GroupTable groups{HoldOptions{}};
  Claims claims{groups};
};

TEST_F(WaitingClaims, a_claim_that_comes_back_is_before_all_that_came_later) {
  const ClaimNumber first = add("ann");
  const ClaimNumber second = add("bob", "g", {PlayerId{"cid"}});
  claims.enqueue(first);
  claims.enqueue(second);
  EXPECT_EQ(group("g").queue.seats(), 3U);
  claims.ask(first);
  EXPECT_THAT(group("g").queue.in_order(), ElementsAre(second));
  EXPECT_EQ(group("g").queue.seats(), 2U);
  claims.enqueue(first);
  EXPECT_THAT(group("g").queue.in_order(), ElementsAre(first, second));
  EXPECT_EQ(group("g").queue.seats(), 3U);
}

TEST_F(WaitingClaims, a_claim_leaves_the_place_where_it_was) {
  const ClaimNumber number = add("ann");
  claims.enqueue(number);
  claims.pin(number, room);
  EXPECT_TRUE(group("g").queue.empty());
  EXPECT_EQ(group("g").queue.seats(), 0U);
  EXPECT_THAT(group("g").pinned.at(room), ElementsAre(number));
  claims.reserve(number, other_room);
  EXPECT_TRUE(group("g").pinned.empty());
  EXPECT_THAT(claims.reserved_in(other_room), ElementsAre(number));
  claims.order(number);
  EXPECT_THAT(claims.reserved_in(other_room), ElementsAre());
  EXPECT_EQ(claims.at(number).place, ClaimPlace::ordered);
  claims.leave(number);
  EXPECT_EQ(claims.at(number).place, ClaimPlace::nowhere);
}

TEST_F(WaitingClaims, reserved_claims_are_found_by_worker) {
  const ClaimNumber first = add("ann");
  const ClaimNumber second = add("bob");
  const ClaimNumber elsewhere = add("cid");
  claims.reserve(second, room);
  claims.reserve(first, other_room);
  claims.reserve(elsewhere, RoomId{WorkerId{"x"}, Incarnation{1}, RoomNumber{1}});
  EXPECT_THAT(claims.reserved_on(WorkerId{"w"}), ElementsAre(second, first));
}

TEST_F(WaitingClaims, a_group_counts_its_claims_and_is_marked_for_them) {
  const ClaimNumber number = add("ann");
  EXPECT_EQ(group("g").members, 1U);
  EXPECT_EQ(marked(), 1U);
  claims.enqueue(number);
  EXPECT_EQ(marked(), 1U);
  claims.pin(number, room);
  EXPECT_EQ(marked(), 1U);
  claims.ask(number);
  EXPECT_EQ(marked(), 0U);
  claims.erase(number);
  EXPECT_EQ(claims.find(number), nullptr);
  EXPECT_EQ(group("g").members, 0U);
  EXPECT_EQ(marked(), 1U);
}

TEST_F(WaitingClaims, a_retry_is_the_same_claim_and_a_larger_party_is_not) {
  const ClaimNumber number = add("ann", "g", {PlayerId{"bob"}});
  EXPECT_EQ(claims.same(group("g"), {PlayerId{"ann"}, {PlayerId{"bob"}}}), number);
  EXPECT_EQ(claims.same(group("g"), {PlayerId{"ann"}, {}}), std::nullopt);
  EXPECT_EQ(claims.same(group("h"), {PlayerId{"ann"}, {PlayerId{"bob"}}}), std::nullopt);
}

TEST_F(WaitingClaims, a_claim_goes_behind_an_earlier_one_of_its_players) {
  const ClaimNumber first = add("ann");
  const ClaimNumber second = add("bob", "h", {PlayerId{"ann"}});
  const ClaimNumber third = add("cid", "h");
  EXPECT_FALSE(claims.behind_another(first));
  EXPECT_TRUE(claims.behind_another(second));
  EXPECT_FALSE(claims.behind_another(third));
  EXPECT_FALSE(claims.behind_another(add("ann", "i", {}, SeatScope::group)));
}

TEST_F(WaitingClaims, a_claim_behind_another_is_due_when_that_one_is_gone) {
  const ClaimNumber first = add("ann");
  const ClaimNumber second = add("bob", "g", {PlayerId{"ann"}});
  claims.park(second);
  EXPECT_EQ(claims.take_due(now), std::nullopt);
  claims.erase(first);
  EXPECT_EQ(claims.next_check(), now);
  EXPECT_EQ(claims.take_due(now), second);
  EXPECT_EQ(claims.take_due(now), std::nullopt);
}

TEST_F(WaitingClaims, a_parked_claim_is_due_at_its_time_and_only_while_it_is_parked) {
  const ClaimNumber first = add("ann");
  const ClaimNumber second = add("bob");
  const ClaimNumber third = add("cid");
  for (const ClaimNumber number : {first, second, third}) claims.park(number, now);
  EXPECT_EQ(claims.take_due(now - Duration{1}), std::nullopt);
  claims.enqueue(first);
  claims.erase(second);
  EXPECT_EQ(claims.take_due(now), third);
  EXPECT_EQ(claims.take_due(now), std::nullopt);
}

TEST_F(WaitingClaims, players_are_found_by_their_claims) {
  const ClaimNumber first = add("ann", "g", {PlayerId{"bob"}});
  const ClaimNumber second = add("bob", "h");
  const auto of = [&](const std::string& player) {
    std::set<ClaimNumber> found;
    claims.players().each_claim(hash_of(PlayerId{player}),
                                [&](ClaimNumber number) { found.insert(number); });
    return found;
  };
  EXPECT_THAT(of("ann"), ElementsAre(first));
  EXPECT_THAT(of("bob"), ElementsAre(first, second));
  EXPECT_EQ(claims.players().most_claims({PlayerId{"ann"}, {PlayerId{"bob"}}}), 2U);
  claims.erase(first);
  EXPECT_THAT(of("ann"), ElementsAre());
  EXPECT_THAT(of("bob"), ElementsAre(second));
}

TEST(StartingSeatTime, is_counted_from_its_opening_by_the_workers_clock) {
  Reservation reservation{ReservationId{1}, TimePoint{std::chrono::seconds{10}},
                          wire::WorkerTime{std::chrono::seconds{500}}, std::chrono::seconds{15}};
  const TimePoint now{std::chrono::seconds{40}};
  EXPECT_EQ(reservation.ends(wire::WorkerTime{std::chrono::seconds{520}}, now),
            TimePoint{std::chrono::seconds{45}});
  // A room that was open when the seat was granted, and a clock that cannot be right.
  EXPECT_EQ(reservation.ends(wire::WorkerTime{std::chrono::seconds{100}}, now),
            TimePoint{std::chrono::seconds{25}});
  EXPECT_EQ(reservation.ends(wire::WorkerTime{std::chrono::seconds{9000}}, now),
            TimePoint{std::chrono::seconds{55}});
}

}  // namespace
}  // namespace fixkeep::master
