// How the table bounds its memory: the sweep of idle keys, and what happens when it is full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lock/core/mesh/coordinator.hpp"
#include "lock/core/mesh/maekawa.hpp"
#include "lock/tests/core/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(LockTableKeys, forgets_idle_keys_everywhere_and_fences_anew) {
  TableMesh mesh{2, {.idle = seconds{30}}};
  mesh.hold(1, "a");
  mesh.pass(milliseconds{29'999});
  EXPECT_EQ(mesh.state(1, "a"), "idle");
  EXPECT_EQ(mesh.state(2, "a"), "idle");
  mesh.pass(milliseconds{1});
  EXPECT_EQ(mesh.state(1, "a"), "unknown");
  EXPECT_EQ(mesh.state(2, "a"), "unknown");
  EXPECT_EQ(mesh.table(1).next_tick(), TimePoint::max());
  (void)mesh.take_news();
  mesh.take(1, "a");
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 granted a fence"));
}

TEST(LockTableKeys, never_forgets_a_key_that_a_peer_wants) {
  TableMesh mesh{2, {.wait = seconds{500}, .lease = seconds{500}, .idle = seconds{30}}};
  mesh.take(1, "a");
  mesh.pass(seconds{100});
  EXPECT_EQ(mesh.state(2, "a"), "idle");
  (void)mesh.take_news();
  mesh.take(2, "a");
  EXPECT_EQ(mesh.state(2, "a"), "lurking");
  mesh.give(1, "a");
  EXPECT_THAT(mesh.take_news(), ElementsAre("2 granted a fence"));
}

TEST(LockTableKeys, uses_no_round_twice_after_forgetting) {
  TableMesh mesh{2, {.idle = seconds{30}}};
  const auto round_of_next_question = [&] {
    TableActions actions;
    mesh.table(1).acquire(GroupKey{"a"}, mesh.now(), actions);
    const auto round = std::get<LockMessage>(std::get<SendToPeer>(actions.at(0)).message).round;
    mesh.table(1).abandon(GroupKey{"a"}, mesh.now(), actions);
    return round;
  };
  EXPECT_EQ(round_of_next_question(), 1U);
  EXPECT_EQ(round_of_next_question(), 2U);
  mesh.pass(seconds{31});
  EXPECT_EQ(mesh.state(1, "a"), "unknown");
  EXPECT_EQ(round_of_next_question(), 3U);
}

TEST(LockTableKeys, a_full_table_makes_room_by_forgetting_the_key_idle_for_longest) {
  TableMesh mesh{1, {.keys = 2}};
  for (const auto* key : {"a", "b", "c"}) {
    mesh.acquire(1, key);
    mesh.release(1, key);
    mesh.pass(milliseconds{1});
  }
  EXPECT_EQ(mesh.state(1, "a"), "unknown");
  EXPECT_EQ(mesh.state(1, "b"), "idle");
  EXPECT_EQ(mesh.state(1, "c"), "idle");
}

TEST(LockTableKeys, a_table_full_of_holders_loses_a_new_key_at_once) {
  TableMesh mesh{1, {.keys = 2}};
  mesh.acquire(1, "a");
  mesh.acquire(1, "b");
  (void)mesh.take_news();
  mesh.acquire(1, "c");
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 lost c wait"));
  mesh.release(1, "b");
  mesh.acquire(1, "c");
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 granted c fence"));
}

TEST(LockTableKeys, a_full_table_still_answers_its_peers) {
  LoneTable lone{{.self = one, .peers = {two}, .keys = 1}};
  ASSERT_TRUE(lone.receive(two, question("a", 1)));  // not to be forgotten: 2 wants it
  (void)lone.take_actions();
  ASSERT_TRUE(lone.receive(two, question("c", 7)));
  ASSERT_EQ(lone.actions.size(), 1U);
  EXPECT_EQ(sent(lone.actions[0]).key.text(), "c");
  EXPECT_EQ(sent(lone.actions[0]).kind, 2U);
  EXPECT_EQ(sent(lone.actions[0]).round, 7U);
  EXPECT_EQ(lone.table.status(9).size(), 1U);
}

TEST(LockTableKeys, a_full_table_asks_for_nothing_earlier_than_what_it_answered) {
  for (const auto* strategy : {"lamport", "ricart-agrawala"}) {
    LoneTable lone{{.strategy = strategy, .self = one, .peers = {two}, .keys = 1}};
    lone.acquire("a");  // the table is full
    (void)lone.take_actions();
    ASSERT_TRUE(lone.receive(two, question("b", 6)));
    ASSERT_EQ(lone.actions.size(), 1U) << strategy;
    EXPECT_EQ(lone.table.status(9).size(), 1U);
    lone.abandon("a");
    (void)lone.take_actions();
    lone.acquire("b");
    ASSERT_FALSE(lone.actions.empty());
    EXPECT_EQ(sent(lone.actions[0]).key.text(), "b");
    EXPECT_EQ(sent(lone.actions[0]).round, 7U) << strategy;
  }
}

// Lamport's answer keeps no question from being answered: the holder's own has to be remembered.
TEST(LockTableKeys, a_full_table_that_forgot_a_holder_is_told_of_it_again) {
  TableMesh mesh{2, {.strategy = "lamport", .keys = 1}, false};
  mesh.acquire(1, "b");
  mesh.acquire(2, "a");  // both tables are full before they hear of each other
  mesh.connect(1, 2);
  mesh.deliver_all();
  EXPECT_THAT(mesh.take_news(), UnorderedElementsAre("1 granted b fence", "2 granted a fence"));
  EXPECT_EQ(mesh.state(2, "b"), "unknown");
  mesh.release(2, "a");
  mesh.take(2, "b");
  EXPECT_EQ(mesh.state(2, "b"), "asking");
  mesh.give(1, "b", "rooms");
  EXPECT_EQ(mesh.take_news().back(), "2 granted b fence");
  EXPECT_EQ(mesh.last_grant(2).value.bytes, "rooms");
}

// Tables of master 1, full, among 2 and 3, who both ask it for "b".
class FullTable : public testing::Test {
 protected:
  void start(const std::string& strategy) {
    lone_.emplace(LockTableOptions{.strategy = strategy,
                                   .self = one,
                                   .peers = {two, three},
                                   .lease = seconds{5},
                                   .quorum = Quorum::majority,
                                   .keys = 1});
    lone_->acquire("a");
  }
  // The kinds of its answers.
  std::vector<std::string> ask_for_b(std::uint16_t peer, Duration after) {
    lone_->now = start_of_time + after;
    (void)lone_->take_actions();
    EXPECT_TRUE(lone_->receive(MasterId{peer}, question("b", peer)));
    return answers();
  }
  std::vector<std::string> tick(Duration after) {
    (void)lone_->take_actions();
    lone_->table.tick(start_of_time + after, lone_->actions);
    return answers();
  }
  std::vector<std::string> answers() {
    std::vector<std::string> all;
    for (const auto& action : lone_->actions) {
      const auto* send = std::get_if<SendToPeer>(&action);
      if (send == nullptr || sent(action).key.text() != "b") continue;
      all.push_back(std::to_string(sent(action).kind) + ">" + std::to_string(send->to.number()));
    }
    return all;
  }

  std::optional<LoneTable> lone_;
};

template <class Kind>
std::string kind_of(Kind kind) {
  return std::to_string(static_cast<int>(kind));
}

TEST_F(FullTable, gives_no_vote_that_it_cannot_remember) {
  start("maekawa");
  const auto failed = kind_of(MaekawaKind::failed);
  EXPECT_THAT(ask_for_b(2, {}), ElementsAre(failed + ">2"));
  EXPECT_THAT(ask_for_b(3, {}), ElementsAre(failed + ">3"));
  // With room again, it does not know for two leases what it has forgotten.
  lone_->abandon("a");
  EXPECT_THAT(ask_for_b(2, seconds{1}), ElementsAre(failed + ">2"));
  EXPECT_THAT(tick(milliseconds{10'999}), IsEmpty());
  EXPECT_THAT(tick(seconds{11}), ElementsAre(kind_of(MaekawaKind::locked_after_lapse) + ">2"));
}

TEST_F(FullTable, grants_nothing_that_it_cannot_remember) {
  start("coordinator");
  EXPECT_THAT(ask_for_b(2, {}), IsEmpty());
  EXPECT_THAT(ask_for_b(3, {}), IsEmpty());
  lone_->table.release(GroupKey{"a"}, {1, one}, {}, start_of_time, lone_->actions);
  EXPECT_THAT(ask_for_b(2, seconds{1}), IsEmpty());
  EXPECT_THAT(tick(milliseconds{7'499}), IsEmpty());
  EXPECT_THAT(tick(milliseconds{7'500}), ElementsAre(kind_of(CoordinatorKind::grant) + ">2"));
  EXPECT_THAT(ask_for_b(3, seconds{8}), IsEmpty());
}

TEST(LockTableKeys, a_full_table_answers_a_hello) {
  LoneTable lone{{.self = one, .peers = {two}, .keys = 1}};
  for (const std::size_t keys : {1, 2}) {
    lone.table.connected(two, {}, start_of_time, lone.actions);
    (void)lone.take_actions();
    MeshHello hello;
    for (std::size_t i = 0; i < keys; ++i)
      hello.outstanding.push_back(question(std::to_string(i), 1));
    EXPECT_EQ(lone.receive(two, hello), keys == 1) << "more than can be";
    if (keys == 1) { EXPECT_EQ(lone.actions.size(), 1U); }
  }
}

}  // namespace
}  // namespace fixkeep::lock
