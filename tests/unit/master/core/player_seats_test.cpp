// One player, one seat: retries at other masters, parties that overlap, a player in two groups; and
// how long a seat is told to last.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "master/core/claim.hpp"
#include "tests/unit/master/core/cluster.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The last message of that type that a master sent.
template <class Message>
Message last_sent(const Cluster& cluster) {
  for (auto at = cluster.to_workers.rbegin(); at != cluster.to_workers.rend(); ++at) {
    if (const auto* message = std::get_if<Message>(&*at)) return *message;
  }
  ADD_FAILURE() << "no such message";
  return {};
}

// Whether the game of that room lets the player in.
bool admits(Cluster& cluster, const RoomId& room, const std::string& player) {
  worker::Actions out;
  cluster.host(std::stoi(room.worker.text().substr(1)))
      .step(worker::PlayerArrived{room.number, PlayerId{player}, 1}, cluster.now, out);
  return std::get<worker::AdmitPlayer>(out.back()).admitted;
}

std::size_t seats_taken(Cluster& cluster, int workers) {
  std::size_t taken = 0;
  for (int w = 0; w < workers; ++w) {
    for (const wire::RoomInfo& room : cluster.host(w).rooms()) taken += room.players.size();
  }
  return taken;
}

TEST(PlayerSeats, a_client_that_asks_another_master_and_hangs_up_on_the_first_gets_in) {
  Cluster cluster{2, 2, 8};
  cluster.match(0, 1, "ann");
  cluster.run();
  cluster.match(1, 2, "ann");
  cluster.run();
  cluster.cancel(0, 1);
  cluster.run();
  cluster.boot();
  ASSERT_EQ(cluster.seated.count(2), 1U);
  EXPECT_TRUE(admits(cluster, cluster.seated.find(2)->second.room, "ann"));
  EXPECT_EQ(cluster.rooms_made(), 1U);
}

TEST(PlayerSeats, a_client_that_gives_up_its_retry_keeps_the_seat_that_it_was_answered) {
  Cluster cluster{2, 1, 8};
  cluster.match(0, 1, "ann");
  cluster.finish();
  ASSERT_EQ(cluster.seated.count(1), 1U);
  cluster.match(1, 2, "ann");
  cluster.cancel(1, 2);  // while the worker is asked
  cluster.run();
  EXPECT_TRUE(admits(cluster, cluster.seated.find(1)->second.room, "ann"));
}

TEST(PlayerSeats, a_party_that_hangs_up_leaves_the_member_who_asked_alone_its_seat) {
  Cluster cluster{1, 1, 8};
  cluster.match(0, 1, "ann", seconds{30}, {PlayerId{"bob"}});
  cluster.run();
  cluster.match(0, 2, "bob");
  cluster.run();
  cluster.cancel(0, 1);
  cluster.finish();
  ASSERT_EQ(cluster.seated.count(2), 1U);
  EXPECT_TRUE(admits(cluster, cluster.seated.find(2)->second.room, "bob"));
  EXPECT_EQ(seats_taken(cluster, 1), 1U);
}

TEST(PlayerSeats, a_party_and_its_member_alone_share_the_room_at_whatever_masters_they_ask) {
  for (const int second : {0, 1}) {
    Cluster cluster{2, 2, 8};
    cluster.match(0, 1, "bob");
    cluster.run();
    cluster.match(second, 2, "ann", seconds{30}, {PlayerId{"bob"}});
    cluster.finish();
    ASSERT_EQ(cluster.seated.size(), 2U) << second;
    EXPECT_EQ(cluster.seated.find(1)->second.room, cluster.seated.find(2)->second.room);
    EXPECT_EQ(seats_taken(cluster, 2), 2U);
  }
}

TEST(PlayerSeats, a_party_of_which_one_sits_in_a_full_room_is_refused) {
  Cluster cluster{1, 2, 1};
  cluster.match(0, 1, "bob");
  cluster.finish();
  cluster.match(0, 2, "bob", seconds{30}, {});
  cluster.finish();
  ASSERT_EQ(cluster.seated.size(), 2U);

  Cluster pairs{1, 2, 2};
  pairs.match(0, 1, "bob");
  pairs.match(0, 2, "cleo");
  pairs.finish();
  pairs.match(0, 3, "ann", seconds{30}, {PlayerId{"bob"}});
  for (int i = 0; i < 40; ++i) pairs.pass(milliseconds{50});
  ASSERT_EQ(pairs.refused.count(3), 1U);
  EXPECT_EQ(pairs.refused.find(3)->second.reason, Refusal::already_seated);
  EXPECT_EQ(seats_taken(pairs, 2), 2U);
}

TEST(PlayerSeats, a_player_with_a_seat_in_one_group_is_refused_one_in_another) {
  Cluster cluster{2, 2, 8};
  cluster.match(0, 1, "ann");
  cluster.finish();
  cluster.key = GroupKey{"other"};
  cluster.match(1, 2, "ann");
  for (int i = 0; i < 40; ++i) cluster.pass(milliseconds{50});
  ASSERT_EQ(cluster.refused.count(2), 1U);
  EXPECT_EQ(cluster.refused.find(2)->second.reason, Refusal::already_seated);
  EXPECT_EQ(cluster.rooms_made(), 1U);
  EXPECT_EQ(seats_taken(cluster, 2), 1U);
}

TEST(PlayerSeats, a_player_whose_other_seat_has_just_been_given_back_is_not_refused) {
  Cluster cluster{2, 2, 8};
  cluster.match(0, 1, "ann");
  cluster.run();
  cluster.key = GroupKey{"other"};
  cluster.match(1, 2, "ann");
  cluster.run();
  cluster.cancel(0, 1);
  cluster.pass(milliseconds{100});
  cluster.finish();
  ASSERT_EQ(cluster.seated.count(2), 1U);
  EXPECT_EQ(seats_taken(cluster, 2), 1U);
}

TEST(PlayerSeats, requests_of_one_player_for_two_groups_of_one_master_go_one_after_the_other) {
  Cluster cluster{1, 2, 8};
  cluster.match(0, 1, "ann");
  cluster.key = GroupKey{"other"};
  cluster.match(0, 2, "ann");
  cluster.run();
  EXPECT_EQ(cluster.rooms_made(), 1U);
  cluster.cancel(0, 1);
  cluster.run();
  cluster.pass(milliseconds{100});
  cluster.finish();
  EXPECT_EQ(cluster.seated.count(2), 1U);
  EXPECT_EQ(seats_taken(cluster, 2), 1U);
}

TEST(PlayerSeats, requests_of_one_player_for_two_groups_at_two_masters_end_in_one_seat) {
  Cluster cluster{2, 2, 8};
  cluster.match(0, 1, "ann");
  cluster.key = GroupKey{"other"};
  cluster.match(1, 2, "ann");
  cluster.finish();
  EXPECT_EQ(cluster.seated.size(), 1U);
  ASSERT_EQ(cluster.refused.size(), 1U);
  EXPECT_EQ(cluster.refused.begin()->second.reason, Refusal::already_seated);
  EXPECT_EQ(seats_taken(cluster, 2), 1U);
}

TEST(PlayerSeats, a_seat_just_given_back_is_asked_for_before_another_room_is_ordered) {
  Cluster cluster{1, 1, 1};
  cluster.match(0, 1, "ann");
  cluster.run();
  cluster.deaf = true;
  cluster.cancel(0, 1);
  cluster.match(0, 2, "bob");
  cluster.run();
  EXPECT_EQ(last_sent<wire::SeatRequest>(cluster).claims.at(0).player, PlayerId{"bob"});
}

TEST(PlayerSeats, a_player_who_came_to_two_seats_gets_the_one_of_the_group_asked_for) {
  Cluster cluster{2, 2, 8};
  cluster.one_seat_per = SeatScope::group;
  cluster.match(0, 1, "ann");
  cluster.key = GroupKey{"other"};
  cluster.match(1, 2, "ann");
  cluster.finish();
  ASSERT_EQ(cluster.seated.size(), 2U);
  cluster.one_seat_per = SeatScope::mode;
  cluster.match(0, 3, "ann");
  cluster.key = GroupKey{"g"};
  cluster.match(0, 4, "ann");
  cluster.finish();
  ASSERT_EQ(cluster.seated.size(), 4U);
  EXPECT_EQ(cluster.seated.find(3)->second.room, cluster.seated.find(2)->second.room);
  EXPECT_EQ(cluster.seated.find(4)->second.room, cluster.seated.find(1)->second.room);
}

TEST(PlayerSeats, a_mode_may_allow_a_player_one_seat_in_each_group) {
  Cluster cluster{1, 2, 8};
  cluster.one_seat_per = SeatScope::group;
  cluster.match(0, 1, "ann");
  cluster.key = GroupKey{"other"};
  cluster.match(0, 2, "ann");
  cluster.finish();
  EXPECT_EQ(cluster.seated.size(), 2U);
  EXPECT_EQ(seats_taken(cluster, 2), 2U);
}

TEST(PlayerSeats, requests_of_one_player_for_many_things_at_once_are_bounded) {
  Cluster cluster{1, 1, 8};
  for (std::uint64_t t = 1; t <= 40; ++t) {
    cluster.key = GroupKey{"g" + std::to_string(t)};
    cluster.match(0, t, "ann");
  }
  ASSERT_EQ(cluster.refused.size(), 24U);
  EXPECT_EQ(cluster.refused.begin()->second.reason, Refusal::queue_full);
}

// --- how long a seat lasts

class SeatTime : public ::testing::Test {
 protected:
  SeatTime() : cluster_(1, 1, 8) {
    cluster_.match(0, 1, "ann");
    cluster_.finish();
    room_ = cluster_.seated.find(1)->second.room;
    cluster_.deaf = true;
    cluster_.match(0, 2, "bob");
    cluster_.run();
  }

  void worker_answers_after(Duration delay) {
    const auto request = last_sent<wire::SeatRequest>(cluster_);
    cluster_.now += delay;
    wire::SeatReply reply;
    reply.request = request.request;
    reply.room = request.room;
    reply.phase = wire::RoomPhase::open;
    reply.granted = {0};
    reply.reserved_for = seconds{15};
    reply.seated = {hash_of(PlayerId{"bob"})};
    reply.reservation = ReservationId{7};
    reply.granted_at = wire::WorkerTime{seconds{100}};
    reply.opened_at = wire::WorkerTime{seconds{90}};
    cluster_.say(0, 0, reply);
    cluster_.run();
  }

  Cluster cluster_;
  RoomId room_;
};

TEST_F(SeatTime, is_counted_from_the_asking_since_the_answer_may_have_been_long_on_its_way) {
  worker_answers_after(milliseconds{1900});
  ASSERT_EQ(cluster_.seated.count(2), 1U);
  EXPECT_EQ(cluster_.seated.find(2)->second.reserved_for, seconds{15} - milliseconds{1900});
}

TEST_F(SeatTime, that_is_over_before_the_answer_came_is_asked_for_anew) {
  worker_answers_after(seconds{15});
  EXPECT_EQ(cluster_.seated.count(2), 0U);
  worker_answers_after(milliseconds{1});
  EXPECT_EQ(cluster_.seated.count(2), 1U);
}

TEST_F(SeatTime, that_is_always_over_is_not_asked_for_without_end) {
  for (int i = 0; i < 40 && cluster_.refused.empty(); ++i) worker_answers_after(seconds{15});
  EXPECT_EQ(cluster_.refused.count(2), 1U);
  EXPECT_EQ(cluster_.seated.count(2), 0U);
}

TEST(StartingSeatTime, is_counted_from_its_opening_by_the_workers_clock) {
  Reservation reservation{ReservationId{1}, TimePoint{seconds{10}}, wire::WorkerTime{seconds{500}},
                          seconds{15}};
  const TimePoint now{seconds{40}};
  EXPECT_EQ(reservation.ends(wire::WorkerTime{seconds{520}}, now), TimePoint{seconds{45}});
  // A room that was open when the seat was granted, and a clock that cannot be right.
  EXPECT_EQ(reservation.ends(wire::WorkerTime{seconds{100}}, now), TimePoint{seconds{25}});
  EXPECT_EQ(reservation.ends(wire::WorkerTime{seconds{9000}}, now), TimePoint{seconds{55}});
}

// --- a room that fails to boot

TEST(BootFailure, counts_when_the_answer_to_a_question_overtakes_the_news) {
  Cluster cluster{1, 1, 8, 100, [](MatchmakerOptions& options) { options.spawn_attempts = 1; }};
  cluster.match(0, 1, "ann");
  cluster.run();
  cluster.deaf = true;
  cluster.match(0, 2, "bob");
  cluster.run();
  const auto request = last_sent<wire::SeatRequest>(cluster);
  wire::SeatReply reply;
  reply.request = request.request;
  reply.room = request.room;
  reply.phase = wire::RoomPhase::closed;
  reply.reason = wire::CloseReason::boot_failed;
  cluster.say(0, 0, reply);
  cluster.run();
  ASSERT_EQ(cluster.refused.count(1), 1U);
  EXPECT_EQ(cluster.refused.find(1)->second.reason, Refusal::boot_failed);
  EXPECT_EQ(cluster.master(0).counters().boots_failed, 1U);
}

}  // namespace
}  // namespace fixkeep::master
