#include "master/core/matchmaker.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/master/core/cluster.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string player(std::uint64_t i) {
  return "p" + std::to_string(i);
}

// Each ticket has one answer, or was cancelled before it.
void expect_one_answer_each(const Cluster& cluster, std::uint64_t tickets) {
  for (std::uint64_t t = 1; t <= tickets; ++t) {
    const std::size_t answers = cluster.seated.count(t) + cluster.refused.count(t);
    if (cluster.cancelled.contains(t))
      EXPECT_LE(answers, 1U) << t;
    else
      EXPECT_EQ(answers, 1U) << t;
  }
}

TEST(Matchmaker, a_request_is_answered_when_its_room_is_ready) {
  Cluster cluster{1, 2, 8};
  cluster.match(0, 1, "ann");
  cluster.run();
  EXPECT_TRUE(cluster.seated.empty());
  cluster.boot();
  ASSERT_EQ(cluster.seated.count(1), 1U);
  const Seated& seat = cluster.seated.find(1)->second;
  EXPECT_NE(seat.port, 0);
  EXPECT_EQ(seat.players, std::vector<PlayerId>{PlayerId{"ann"}});
  EXPECT_EQ(seat.reserved_for, Duration{seconds{15}});
  EXPECT_EQ(cluster.master(0).groups(), 0U);
}

TEST(Matchmaker, a_burst_over_three_masters_makes_exactly_the_rooms_it_fills) {
  for (const std::uint32_t capacity : {1U, 3U, 8U, 100U}) {
    for (const std::uint64_t n : {1U, 7U, 64U, 101U}) {
      Cluster cluster{3, 4, capacity, 200};
      for (std::uint64_t t = 1; t <= n; ++t) cluster.match(static_cast<int>(t % 3), t, player(t));
      cluster.finish();
      expect_one_answer_each(cluster, n);
      EXPECT_EQ(cluster.seated.size(), n);
      EXPECT_EQ(cluster.rooms_made(), (n + capacity - 1) / capacity) << n << " in " << capacity;
    }
  }
}

TEST(Matchmaker, claims_that_wait_together_go_in_one_message) {
  Cluster cluster{1, 1, 100};
  cluster.match(0, 1, "first");
  cluster.finish();
  const auto before = cluster.master(0).counters().seat_requests;
  for (std::uint64_t t = 2; t <= 50; ++t) cluster.match(0, t, player(t));
  cluster.finish();
  EXPECT_EQ(cluster.seated.size(), 50U);
  EXPECT_EQ(cluster.rooms_made(), 1U);
  EXPECT_EQ(cluster.master(0).counters().seat_requests - before, 2U);
}

TEST(Matchmaker, the_same_player_gets_the_same_seat_on_any_master) {
  Cluster cluster{3, 3, 1};
  cluster.match(0, 1, "ann");
  cluster.run();
  cluster.match(1, 2, "ann");  // while the room starts
  cluster.match(0, 3, "ann");  // while the first one waits
  cluster.finish();
  cluster.match(2, 4, "ann");
  cluster.finish();
  ASSERT_EQ(cluster.seated.size(), 4U);
  for (const auto& [ticket, seat] : cluster.seated) {
    EXPECT_EQ(seat.room, cluster.seated.begin()->second.room) << ticket;
  }
  EXPECT_EQ(cluster.rooms_made(), 1U);
}

TEST(Matchmaker, cancelling_one_of_two_tickets_keeps_the_seat_of_the_other) {
  Cluster cluster{1, 1, 2};
  cluster.match(0, 1, "ann");
  cluster.match(0, 2, "ann");
  cluster.run();
  cluster.cancel(0, 1);
  cluster.finish();
  EXPECT_EQ(cluster.seated.count(1), 0U);
  EXPECT_EQ(cluster.seated.count(2), 1U);
}

TEST(Matchmaker, cancelling_at_every_step_leaks_no_seat) {
  for (int at = 0; at < 60; ++at) {
    Cluster cluster{2, 2, 4};
    for (std::uint64_t t = 1; t <= 6; ++t) cluster.match(static_cast<int>(t % 2), t, player(t));
    for (int i = 0; i < at && cluster.step(); ++i) {}
    for (std::uint64_t t = 1; t <= 6; t += 2) cluster.cancel(1, t);
    cluster.finish();
    cluster.run();
    expect_one_answer_each(cluster, 6);
    std::size_t taken = 0;
    for (int w = 0; w < 2; ++w) {
      for (const auto& room : cluster.host(w).rooms()) taken += room.players.size();
    }
    EXPECT_EQ(taken, cluster.seated.size()) << "step " << at;
    EXPECT_EQ(cluster.master(0).groups() + cluster.master(1).groups(), 0U) << "step " << at;
  }
}

TEST(Matchmaker, a_worker_that_dies_at_any_step_costs_no_answer) {
  for (int at = 0; at < 80; ++at) {
    for (const bool fence : {false, true}) {
      Cluster cluster{2, 3, 4};
      cluster.needs_fence = fence;
      for (std::uint64_t t = 1; t <= 10; ++t) cluster.match(static_cast<int>(t % 2), t, player(t));
      for (int i = 0; i < at && cluster.step(); ++i) {}
      cluster.stop_worker(at % 3);
      cluster.finish();
      expect_one_answer_each(cluster, 10);
      EXPECT_EQ(cluster.seated.size(), 10U) << "step " << at << " fence " << fence;
    }
  }
}

TEST(Matchmaker, fences_at_every_worker_when_told_to) {
  Cluster cluster{1, 3, 4};
  cluster.needs_fence = true;
  cluster.match(0, 1, "ann");
  cluster.finish();
  const auto prepares = std::count_if(
      cluster.to_workers.begin(), cluster.to_workers.end(),
      [](const auto& message) { return std::holds_alternative<wire::PrepareSpawn>(message); });
  EXPECT_EQ(prepares, 3);
  EXPECT_EQ(cluster.rooms_made(), 1U);
  EXPECT_EQ(cluster.seated.size(), 1U);
}

TEST(Matchmaker, an_order_refused_as_stale_is_repeated_above_the_highest_token) {
  Cluster cluster{1, 2, 4};
  for (int w = 0; w < 2; ++w) {
    worker::Actions out;
    cluster.host(w).step(worker::MasterConnected{MasterId{9}}, cluster.now, out);
    const wire::PrepareSpawn promise{1, GroupKey{"g"}, {50, MasterId{9}}};
    cluster.host(w).step(worker::MasterSaid{MasterId{9}, promise}, cluster.now, out);
  }
  cluster.match(0, 1, "ann");
  cluster.finish();
  EXPECT_EQ(cluster.seated.size(), 1U);
  EXPECT_EQ(cluster.rooms_made(), 1U);
  EXPECT_EQ(cluster.master(0).counters().spawns_refused, 1U);
  EXPECT_GT(cluster.host(0).promised(GroupKey{"g"}).counter, 50U);
}

// The lock goes on from the token that it granted, and does not know how far its holder went.
TEST(Matchmaker, a_hold_that_was_lost_leaves_its_tokens_behind) {
  Cluster cluster{1, 2, 4};
  cluster.needs_fence = true;
  for (int w = 0; w < 2; ++w) {
    worker::Actions out;
    cluster.host(w).step(worker::MasterConnected{MasterId{9}}, cluster.now, out);
    const wire::PrepareSpawn promise{1, GroupKey{"g"}, {50, MasterId{9}}};
    cluster.host(w).step(worker::MasterSaid{MasterId{9}, promise}, cluster.now, out);
  }
  const auto last_prepared = [&] {
    std::uint64_t counter = 0;
    for (const auto& message : cluster.to_workers) {
      const auto* prepare = std::get_if<wire::PrepareSpawn>(&message);
      if (prepare != nullptr) counter = prepare->token.counter;
    }
    return counter;
  };
  cluster.match(0, 1, "ann");
  for (int i = 0; i < 1000 && last_prepared() < 51; ++i) cluster.step();
  ASSERT_EQ(last_prepared(), 51U);
  cluster.lose_lock(0);
  cluster.run();
  const auto restarts = cluster.master(0).counters().fence_restarts;
  cluster.pass(milliseconds{300});
  EXPECT_GT(last_prepared(), 51U);
  EXPECT_EQ(cluster.master(0).counters().fence_restarts, restarts) << "promised at once";
  cluster.finish();
  EXPECT_EQ(cluster.seated.size(), 1U);
}

TEST(Matchmaker, a_silent_worker_makes_the_hold_uncertain_and_the_next_one_fence) {
  Cluster cluster{1, 2, 4};
  cluster.match(0, 1, "ann");
  cluster.deaf = true;
  cluster.run();
  for (int i = 0; i < 4; ++i) cluster.pass(milliseconds{2100});
  ASSERT_EQ(cluster.closed.size(), 1U);
  cluster.deaf = false;
  cluster.pass(seconds{3});
  cluster.finish();
  EXPECT_EQ(cluster.seated.size() + cluster.refused.size(), 1U);
  EXPECT_GE(cluster.master(0).counters().fences, 1U);
}

TEST(Matchmaker, a_failed_boot_moves_to_another_worker_a_bounded_number_of_times) {
  Cluster cluster{1, 2, 4};
  cluster.match(0, 1, "ann");
  cluster.run();
  ASSERT_EQ(cluster.starting.size(), 1U);
  const WorkerId first = cluster.starting[0].first;
  cluster.fail_boots();
  ASSERT_EQ(cluster.starting.size(), 1U);
  EXPECT_NE(cluster.starting[0].first, first);
  cluster.fail_boots();
  EXPECT_TRUE(cluster.starting.empty()) << "both wait before they try again";
  cluster.pass(seconds{1});
  ASSERT_EQ(cluster.starting.size(), 1U);
  cluster.fail_boots();
  ASSERT_EQ(cluster.refused.count(1), 1U);
  EXPECT_EQ(cluster.refused.find(1)->second.reason, Refusal::boot_failed);
  EXPECT_EQ(cluster.master(0).counters().boots_failed, 3U);
}

TEST(Matchmaker, a_mode_that_fails_to_boot_is_ordered_elsewhere_and_again_when_the_pause_is_over) {
  Cluster cluster{1, 2, 1};
  cluster.match(0, 1, "ann");
  cluster.run();
  ASSERT_EQ(cluster.starting.size(), 1U);
  const WorkerId failing = cluster.starting[0].first;
  cluster.fail_boots();
  cluster.match(0, 2, "bob");
  cluster.match(0, 3, "cid");
  cluster.run();
  ASSERT_EQ(cluster.starting.size(), 3U);
  for (const auto& [worker, room] : cluster.starting) EXPECT_NE(worker, failing);
  cluster.fail_boots();
  cluster.match(0, 4, "dan", milliseconds{500});
  cluster.run();
  EXPECT_TRUE(cluster.starting.empty()) << "nobody takes an order";
  cluster.pass(milliseconds{500});
  cluster.run();
  ASSERT_EQ(cluster.refused.count(4), 1U);
  EXPECT_EQ(cluster.refused.find(4)->second.reason, Refusal::no_capacity);
  cluster.finish();
  EXPECT_EQ(cluster.seated.size(), 3U);
}

TEST(Matchmaker, without_capacity_it_sleeps_until_a_worker_comes) {
  Cluster cluster{1, 1, 1, 1};
  cluster.match(0, 1, "ann");
  cluster.match(0, 2, "bob");
  cluster.match(0, 3, "cid", milliseconds{100});
  cluster.finish();
  EXPECT_EQ(cluster.refused.find(3)->second.reason, Refusal::no_capacity);
  EXPECT_EQ(cluster.seated.size() + cluster.refused.size(), 3U);
  Cluster later{1, 0, 1, 1};
  later.match(0, 1, "ann");
  later.run();
  later.start_worker(0);
  later.finish();
  EXPECT_EQ(later.seated.size(), 1U);
}

TEST(Matchmaker, bounds_parties_and_queues) {
  Cluster cluster{1, 0, 2, 10, [](MatchmakerOptions& options) { options.waiting_requests = 1; }};
  cluster.match(0, 1, "ann", seconds{30}, {PlayerId{"bob"}, PlayerId{"cid"}});
  cluster.match(0, 2, "dan");
  cluster.match(0, 3, "eve");
  EXPECT_EQ(cluster.refused.find(1)->second.reason, Refusal::party_too_large);
  EXPECT_EQ(cluster.refused.find(3)->second.reason, Refusal::queue_full);
  EXPECT_EQ(cluster.master(0).waiting(), 1U);
}

TEST(Matchmaker, a_party_sits_together) {
  Cluster cluster{1, 1, 4};
  for (std::uint64_t t = 1; t <= 4; ++t) {
    cluster.match(0, t, player(t), seconds{30},
                  {PlayerId{player(100 + t)}, PlayerId{player(200 + t)}});
  }
  cluster.finish();
  EXPECT_EQ(cluster.seated.size(), 4U);
  EXPECT_EQ(cluster.rooms_made(), 4U);
}

TEST(Matchmaker, stopping_refuses_everything) {
  Cluster cluster{1, 1, 4};
  cluster.match(0, 1, "ann");
  Actions out;
  LockOrders locks;
  cluster.master(0).stop(cluster.now, {out, locks});
  cluster.master(0).match_requested({TicketId{2},
                                     GroupChoice{GroupKey{"g"}},
                                     ModeName{"duel"},
                                     4,
                                     {PlayerId{"bob"}, {}},
                                     cluster.now + seconds{1}},
                                    cluster.now, {out, locks});
  EXPECT_EQ(std::get<Refused>(out.at(0)).reason, Refusal::stopping);
  EXPECT_EQ(std::get<Refused>(out.back()).reason, Refusal::stopping);
  EXPECT_EQ(cluster.master(0).waiting(), 0U);
}

TEST(Matchmaker, groups_that_change_with_time_are_not_for_it_yet) {
  Cluster cluster{1, 1, 4};
  MatchRequested request{TicketId{1}, GroupChoice{GroupKey{"g"}}, ModeName{"duel"},
                         4,           {PlayerId{"ann"}, {}},      cluster.now + seconds{1}};
  request.groups.then(seconds{10}, GroupKey{"h"});
  Actions out;
  LockOrders locks;
  EXPECT_DEATH(cluster.master(0).match_requested(std::move(request), cluster.now, {out, locks}),
               "state: g");
}

TEST(Matchmaker, rubbish_from_a_worker_closes_its_link_or_is_ignored) {
  Cluster cluster{1, 1, 4};
  cluster.match(0, 1, "ann");
  cluster.finish();
  wire::SeatReply reply;
  reply.request = 999;
  reply.granted = {5};
  cluster.say(0, 0, reply);
  EXPECT_TRUE(cluster.closed.empty());
  cluster.match(0, 2, "bob");
  const auto request = std::get<wire::SeatRequest>(cluster.to_workers.back());
  reply.request = request.request;
  reply.room = request.room;
  cluster.say(0, 0, reply);
  EXPECT_EQ(cluster.closed.size(), 1U);
  EXPECT_EQ(cluster.master(0).waiting(), 1U);
  cluster.say(0, 0, wire::SeatRequest{});  // no longer connected: ignored
  EXPECT_EQ(cluster.closed.size(), 1U);
}

}  // namespace
}  // namespace fixkeep::master
