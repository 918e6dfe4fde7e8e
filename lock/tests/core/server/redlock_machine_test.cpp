// RedlockMachine step by step, over redlock_table.hpp.
#include "lock/core/server/redlock_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "lock/tests/core/server/redlock_table.hpp"

namespace fixkeep::lock {
namespace {

// --- what the checks are for: one schedule, two machines

// A holder that was stopped for longer than its lock lasts goes on and releases.
int holders_after_a_late_release(RedlockChecks checks) {
  Table table{1, checks};
  EXPECT_TRUE(table.take(1));
  table.pass(ttl);
  EXPECT_TRUE(table.take(2));
  table.give(1, "late");
  (void)table.take(1);
  return table.holders();
}

TEST(RedlockChecks, without_the_owner_check_a_late_release_makes_two_holders) {
  EXPECT_EQ(holders_after_a_late_release({}), 1);
  EXPECT_EQ(holders_after_a_late_release({.owner = false}), 2);
}

// The answers to an attempt come when what they grant has lapsed.
int holders_after_late_answers(RedlockChecks checks) {
  Table table{3, checks};
  table.acquire(1);
  table.arrive(1);
  table.pass(ttl);
  EXPECT_TRUE(table.take(2));
  table.reply(1);
  return table.holders();
}

TEST(RedlockChecks, without_the_validity_check_late_answers_make_two_holders) {
  EXPECT_EQ(holders_after_late_answers({}), 1);
  EXPECT_EQ(holders_after_late_answers({.validity = false}), 2);
}

// --- acquiring

TEST(RedlockMachineTest, is_granted_by_a_majority_and_asks_each_server_twice_in_all) {
  Table table{5};
  table.acquire(1);
  table.arrive(1);
  auto& master = table.master(1);
  for (int answers = 1; answers <= 3; ++answers) {
    EXPECT_FALSE(master.held);
    const auto next = master.replies.front();
    master.replies.pop_front();
    table.step(1, next);
  }
  ASSERT_TRUE(master.held);
  table.give(1, "rooms");
  EXPECT_EQ(master.requests, 10);
  EXPECT_EQ(master.timer, TimePoint::max()) << "nothing is left to do";
  EXPECT_TRUE(master.machine.forgettable());
  for (const auto& server : table.servers) {
    EXPECT_FALSE(server.lock);
    EXPECT_EQ(server.record->value.bytes, "rooms");
  }
}

TEST(RedlockMachineTest, answers_to_an_abandoned_attempt_do_not_count_for_the_next) {
  Table table{3};
  table.acquire(1);
  table.arrive(1);
  table.abandon(1);
  table.acquire(1);
  table.reply(1);
  EXPECT_FALSE(table.master(1).held) << "the servers are about to undo what they have answered";
  table.deliver_all(1);
  EXPECT_TRUE(table.master(1).held);
}

TEST(RedlockMachineTest, counts_the_time_of_asking_against_the_validity) {
  for (const auto& [late, granted] : {std::pair{486, true}, std::pair{489, false}}) {
    Table table{3};
    table.acquire(1);
    table.arrive(1);
    // 1000 - 12 of drift - 500 that have to be left.
    table.pass(milliseconds{late});
    table.reply(1);
    EXPECT_EQ(table.master(1).held.has_value(), granted) << late;
    table.deliver_all(1);
    EXPECT_EQ(table.servers[0].locked(table.now), granted) << "freed when it does not count";
  }
}

TEST(RedlockMachineTest, a_split_vote_is_given_back_and_tried_again_later) {
  Table table{3};
  for (const auto self : everybody) {
    table.acquire(self);
    auto& sent = table.master(self).sent;
    std::rotate(sent.begin(), sent.begin() + (self - 1), sent.end());
  }
  // Each gets the server that it reaches first.
  for (int turn = 0; turn < 3; ++turn) {
    for (const auto self : everybody) {
      auto& at = table.master(self);
      const auto next = at.sent.front();
      at.sent.pop_front();
      at.replies.push_back({next.server, next.command.serial,
                            table.servers[next.server].carry_out(next.command, ttl, table.now)});
    }
  }
  for (const auto self : everybody) table.deliver_all(self);
  EXPECT_EQ(table.holders(), 0);
  for (const auto& server : table.servers) EXPECT_FALSE(server.locked(table.now));
  std::map<TimePoint, int> next;
  for (const auto self : everybody) {
    const auto at = table.master(self).timer;
    EXPECT_GE(at - table.now, milliseconds{5});
    EXPECT_LE(at - table.now, milliseconds{15});
    ++next[at];
  }
  EXPECT_EQ(next.size(), 3U) << "at different times";
  table.pass(next.begin()->first - table.now);
  for (const auto self : everybody) table.tick(self);
  EXPECT_EQ(table.holders(), 1);
}

TEST(RedlockMachineTest, waits_for_a_majority_of_servers_and_asks_as_soon_as_there_is_one) {
  Table table{3};
  for (std::size_t server : {0U, 1U}) table.step(1, ServerDown{server});
  table.acquire(1);
  EXPECT_TRUE(table.master(1).sent.empty());
  EXPECT_EQ(table.master(1).timer, TimePoint::max());
  table.step(1, ServerUp{1});
  EXPECT_EQ(table.master(1).sent.size(), 2U);
  table.deliver_all(1);
  EXPECT_TRUE(table.master(1).held);
}

TEST(RedlockMachineTest, a_server_that_goes_away_during_the_attempt_ends_it_if_it_is_needed) {
  Table table{3};
  table.step(1, ServerDown{2});
  table.acquire(1);
  table.arrive(1);
  table.step(1, ServerDown{1});
  EXPECT_FALSE(table.master(1).held);
  table.deliver_all(1);
  EXPECT_FALSE(table.servers[0].locked(table.now)) << "freed where it is known to be set";
  EXPECT_TRUE(table.servers[1].locked(table.now));
  table.step(1, ServerUp{1});
  table.deliver_all(1);
  EXPECT_FALSE(table.servers[1].locked(table.now)) << "and where no answer came";
}

// --- tokens, values, fences

TEST(RedlockMachineTest, different_counters_are_raised_to_the_token_before_the_grant) {
  Table table{3};
  table.hold(1, "rooms");
  table.servers[0].record->counter = 7;
  table.acquire(2);
  table.arrive(2);
  table.reply(2);
  EXPECT_FALSE(table.master(2).held) << "one more round";
  table.deliver_all(2);
  ASSERT_TRUE(table.master(2).held);
  EXPECT_EQ(table.master(2).held->token, (FencingToken{8, MasterId{2}}));
  EXPECT_FALSE(table.master(2).held->needs_fence);
  int raised = 0;
  for (const auto& server : table.servers) raised += server.record->counter == 8 ? 1 : 0;
  EXPECT_GE(raised, 2);
}

TEST(RedlockMachineTest, a_release_that_was_long_on_its_way_undoes_nothing) {
  Table table{3};
  table.hold(1, "rooms");
  // Server 2 hears of a whole hold of 1 only when 2 has held and released after it.
  table.acquire(1);
  auto& first = table.master(1);
  std::deque<SendCommand> late{first.sent.back()};
  first.sent.pop_back();
  table.deliver_all(1);
  ASSERT_TRUE(first.held);
  table.release(1, "old");
  late.push_back(first.sent.back());
  first.sent.pop_back();
  table.deliver_all(1);
  table.hold(2, "new");
  ASSERT_EQ(table.servers[2].record->value.bytes, "new");
  first.sent = late;
  table.deliver_all(1);
  EXPECT_EQ(table.servers[2].record->value.bytes, "new");
  EXPECT_EQ(table.servers[2].record->state, ModelServer::State::clean);
}

TEST(RedlockMachineTest, one_server_that_forgot_is_enough_for_a_fence) {
  Table table{3};
  ASSERT_TRUE(table.take(1));
  EXPECT_TRUE(table.master(1).held->needs_fence);
  table.give(1, "rooms");
  ASSERT_TRUE(table.take(1));
  EXPECT_FALSE(table.master(1).held->needs_fence);
  table.give(1, "rooms");
  table.servers[0] = {};
  ASSERT_TRUE(table.take(2));
  EXPECT_TRUE(table.master(2).held->needs_fence);
  EXPECT_EQ(table.master(2).held->value.bytes, "rooms");
}

TEST(RedlockMachineTest, a_token_that_the_servers_do_not_know_of_needs_a_fence) {
  Table table{1};
  for (const std::uint64_t known : {0U, 1U, 2U, 9U}) {
    ASSERT_TRUE(table.take(1, {known, MasterId{1}}));
    EXPECT_EQ(table.master(1).held->needs_fence, known == 0 || known == 9) << known;
    EXPECT_GT(table.master(1).held->token.counter, known);
    table.give(1, "rooms");
  }
}

TEST(RedlockMachineTest, a_floor_that_other_keys_left_lifts_the_token_and_needs_no_fence) {
  Table table{3};
  for (const std::uint64_t floor : {0U, 0U, 1000U, 1000U}) {
    table.acquire(1, {}, floor);
    table.deliver_all(1);
    ASSERT_TRUE(table.master(1).held);
    EXPECT_GT(table.master(1).held->token.counter, floor);
    if (floor != 0) { EXPECT_FALSE(table.master(1).held->needs_fence); }
    table.give(1, "rooms");
  }
  for (const auto& server : table.servers) EXPECT_EQ(server.record->counter, 1002U);
}

TEST(RedlockMachineTest, failed_attempts_and_abandons_cost_nobody_a_fence) {
  Table table{3};
  table.hold(1, "rooms");
  ASSERT_TRUE(table.take(2));
  table.abandon(2);
  table.acquire(2);
  table.abandon(2);
  table.deliver_all(2);
  ASSERT_TRUE(table.take(3));
  EXPECT_FALSE(table.master(3).held->needs_fence);
  EXPECT_EQ(table.master(3).held->value.bytes, "rooms");
}

TEST(RedlockMachineTest, a_holder_who_stops_leaves_a_fence_to_the_next) {
  Table table{1};
  ASSERT_TRUE(table.take(1));
  table.release(1, "rooms");
  ASSERT_TRUE(table.take(1));
  EXPECT_FALSE(table.master(1).held->needs_fence);
  table.step(1, Stop{});
  table.deliver_all(1);
  ASSERT_TRUE(table.take(2));
  EXPECT_TRUE(table.master(2).held->needs_fence);
}

// --- holding

TEST(RedlockMachineTest, extends_by_a_majority_and_loses_without_one_before_it_lapses) {
  Table table{3};
  ASSERT_TRUE(table.take(1));
  table.step(1, ServerDown{0});
  for (int third = 0; third < 9; ++third) {
    table.pass(table.master(1).timer - table.now);
    table.tick(1);
    ASSERT_TRUE(table.master(1).held) << third;
  }
  table.step(1, ServerDown{1});
  const auto lapses = table.servers[1].lock->lapses;
  while (table.master(1).held) {
    table.pass(table.master(1).timer - table.now);
    ASSERT_LT(table.now, lapses);
    table.tick(1);
  }
  EXPECT_EQ(table.master(1).losses, 1);
}

TEST(RedlockMachineTest, a_majority_that_denies_the_owner_ends_the_hold_at_once) {
  Table table{3};
  ASSERT_TRUE(table.take(1));
  table.servers[0] = {};
  table.servers[1] = {};
  table.pass(table.master(1).timer - table.now);
  table.tick(1);
  EXPECT_FALSE(table.master(1).held);
  EXPECT_EQ(table.master(1).losses, 1);
  EXPECT_FALSE(table.servers[2].locked(table.now)) << "freed where it still was";
}

// A master that stood still wakes up to both at once.
TEST(RedlockMachineTest, a_server_found_away_after_the_lock_has_lapsed_frees_it_when_it_is_back) {
  Table table{3};
  ASSERT_TRUE(table.take(1));
  table.pass(ttl);
  table.step(1, ServerDown{2});
  auto& master = table.master(1);
  EXPECT_EQ(master.losses, 1);
  ASSERT_EQ(master.sent.size(), 2U);
  for (const auto& sent : master.sent) EXPECT_NE(sent.server, 2U) << "it is down";
  table.deliver_all(1);
  table.step(1, ServerUp{2});
  ASSERT_EQ(master.sent.size(), 1U);
  EXPECT_EQ(master.sent.front().server, 2U);
}

TEST(RedlockMachineTest, a_server_that_comes_back_is_asked_to_extend_at_once) {
  Table table{1};
  ASSERT_TRUE(table.take(1));
  table.step(1, ServerDown{0});
  table.pass(ttl - milliseconds{50});
  table.step(1, ServerUp{0});
  table.deliver_all(1);
  table.pass(milliseconds{100});
  table.step(1, Tick{});
  EXPECT_TRUE(table.master(1).held);
}

}  // namespace
}  // namespace fixkeep::lock
