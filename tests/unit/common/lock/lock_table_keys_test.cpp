// How the table bounds its memory: the sweep of idle keys, and what happens when it is full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/lock/mesh/coordinator.hpp"
#include "common/lock/mesh/maekawa.hpp"
#include "tests/unit/common/lock/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(LockTableKeys, forgets_idle_keys_everywhere_and_fences_anew) {
  TableMesh mesh{2, {.idle = seconds{30}}};
  mesh.acquire(1, "a");
  mesh.deliver_all();
  mesh.release(1, "a");
  mesh.deliver_all();
  mesh.pass(milliseconds{29'999});
  EXPECT_EQ(mesh.state(1, "a"), "idle");
  EXPECT_EQ(mesh.state(2, "a"), "idle");
  mesh.pass(milliseconds{1});
  EXPECT_EQ(mesh.state(1, "a"), "unknown");
  EXPECT_EQ(mesh.state(2, "a"), "unknown");
  EXPECT_EQ(mesh.table(1).next_tick(), TimePoint::max());
  (void)mesh.take_news();
  mesh.acquire(1, "a");
  mesh.deliver_all();
  EXPECT_THAT(mesh.take_news(), ElementsAre("1 granted a fence"));
}

TEST(LockTableKeys, never_forgets_a_key_that_a_peer_wants) {
  TableMesh mesh{2, {.wait = seconds{500}, .lease = seconds{500}, .idle = seconds{30}}};
  mesh.acquire(1, "a");
  mesh.deliver_all();
  mesh.pass(seconds{100});
  EXPECT_EQ(mesh.state(2, "a"), "idle");
  (void)mesh.take_news();
  mesh.acquire(2, "a");
  mesh.deliver_all();
  EXPECT_EQ(mesh.state(2, "a"), "lurking");
  mesh.release(1, "a");
  mesh.deliver_all();
  EXPECT_THAT(mesh.take_news(), ElementsAre("2 granted a fence"));
}

TEST(LockTableKeys, uses_no_round_twice_after_forgetting) {
  TableMesh mesh{2, {.idle = seconds{30}}};
  const auto round_of_next_question = [&] {
    TableActions actions;
    mesh.table(1).acquire(GroupKey{"a"}, mesh.now(), actions);
    const auto round =
        std::get<wire::LockMessage>(std::get<SendToPeer>(actions.at(0)).message).round;
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
  TableMesh mesh{2, {.keys = 2}};
  mesh.acquire(2, "a");
  mesh.acquire(2, "b");
  mesh.deliver_all();
  EXPECT_EQ(mesh.state(1, "a"), "idle");  // known to 1, and not to be forgotten: 2 holds both
  (void)mesh.take_news();
  // 2 is full itself, so its third question comes from a table of the same mesh with more room.
  TableActions actions;
  wire::LockMessage question;
  question.key = GroupKey{"c"};
  question.kind = 1;
  question.round = 7;
  ASSERT_TRUE(mesh.table(1).receive(MasterId{2}, question, mesh.now(), actions));
  ASSERT_EQ(actions.size(), 1U);
  const auto& answer = std::get<wire::LockMessage>(std::get<SendToPeer>(actions[0]).message);
  EXPECT_EQ(answer.key, question.key);
  EXPECT_EQ(answer.kind, 2U);
  EXPECT_EQ(answer.round, 7U);
  EXPECT_EQ(mesh.state(1, "c"), "unknown");
  EXPECT_THAT(mesh.take_news(), IsEmpty());
}

TEST(LockTableKeys, a_full_table_asks_for_nothing_earlier_than_what_it_answered) {
  for (const auto* strategy : {"lamport", "ricart-agrawala"}) {
    LockTable table{{.strategy = strategy, .self = MasterId{1}, .peers = {MasterId{2}}, .keys = 1},
                    start_of_time};
    TableActions actions;
    table.connected(MasterId{2}, {}, start_of_time, actions);
    ASSERT_TRUE(table.receive(MasterId{2}, wire::MeshHello{}, start_of_time, actions));
    table.acquire(GroupKey{"a"}, start_of_time, actions);  // the table is full
    wire::LockMessage question;
    question.key = GroupKey{"b"};
    question.kind = 1;
    question.round = 6;
    actions.clear();
    ASSERT_TRUE(table.receive(MasterId{2}, question, start_of_time, actions));
    ASSERT_EQ(actions.size(), 1U) << strategy;
    EXPECT_EQ(table.status(9).size(), 1U);
    table.abandon(GroupKey{"a"}, start_of_time, actions);
    actions.clear();
    table.acquire(GroupKey{"b"}, start_of_time, actions);
    ASSERT_FALSE(actions.empty());
    const auto& asked = std::get<wire::LockMessage>(std::get<SendToPeer>(actions[0]).message);
    EXPECT_EQ(asked.key, question.key);
    EXPECT_EQ(asked.round, 7U) << strategy;
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
  mesh.acquire(2, "b");
  mesh.deliver_all();
  EXPECT_EQ(mesh.state(2, "b"), "asking");
  mesh.release(1, "b", "rooms");
  mesh.deliver_all();
  EXPECT_EQ(mesh.take_news().back(), "2 granted b fence");
  EXPECT_EQ(mesh.last_grant(2).value.bytes, "rooms");
}

// Tables of master 1, full, among 2 and 3, who both ask it for "b".
class FullTable : public testing::Test {
 protected:
  void start(const std::string& strategy) {
    LockTableOptions options{.strategy = strategy,
                             .self = MasterId{1},
                             .peers = {MasterId{2}, MasterId{3}},
                             .lease = seconds{5},
                             .quorum = Quorum::majority,
                             .keys = 1};
    table_.emplace(std::move(options), start_of_time);
    for (const auto& peer : {MasterId{2}, MasterId{3}}) {
      table_->connected(peer, {}, start_of_time, actions_);
      ASSERT_TRUE(table_->receive(peer, wire::MeshHello{}, start_of_time, actions_));
    }
    table_->acquire(GroupKey{"a"}, start_of_time, actions_);
  }
  // The kinds of its answers.
  std::vector<std::string> ask_for_b(std::uint16_t peer, Duration after) {
    wire::LockMessage question;
    question.key = GroupKey{"b"};
    question.kind = 1;
    question.round = peer;
    actions_.clear();
    EXPECT_TRUE(table_->receive(MasterId{peer}, question, start_of_time + after, actions_));
    return answers();
  }
  std::vector<std::string> tick(Duration after) {
    actions_.clear();
    table_->tick(start_of_time + after, actions_);
    return answers();
  }
  std::vector<std::string> answers() {
    std::vector<std::string> all;
    for (const auto& action : actions_) {
      const auto* send = std::get_if<SendToPeer>(&action);
      if (send == nullptr) continue;
      const auto& message = std::get<wire::LockMessage>(send->message);
      if (message.key.text() != "b") continue;
      all.push_back(std::to_string(message.kind) + ">" + std::to_string(send->to.number()));
    }
    return all;
  }

  std::optional<LockTable> table_;
  TableActions actions_;
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
  table_->abandon(GroupKey{"a"}, start_of_time, actions_);
  EXPECT_THAT(ask_for_b(2, seconds{1}), ElementsAre(failed + ">2"));
  EXPECT_THAT(tick(milliseconds{10'999}), IsEmpty());
  EXPECT_THAT(tick(seconds{11}), ElementsAre(kind_of(MaekawaKind::locked_after_lapse) + ">2"));
}

TEST_F(FullTable, grants_nothing_that_it_cannot_remember) {
  start("coordinator");
  EXPECT_THAT(ask_for_b(2, {}), IsEmpty());
  EXPECT_THAT(ask_for_b(3, {}), IsEmpty());
  table_->release(GroupKey{"a"}, {1, MasterId{1}}, {}, start_of_time, actions_);
  EXPECT_THAT(ask_for_b(2, seconds{1}), IsEmpty());
  EXPECT_THAT(tick(milliseconds{7'499}), IsEmpty());
  EXPECT_THAT(tick(milliseconds{7'500}), ElementsAre(kind_of(CoordinatorKind::grant) + ">2"));
  EXPECT_THAT(ask_for_b(3, seconds{8}), IsEmpty());
}

TEST(LockTableKeys, a_full_table_answers_a_hello) {
  LockTable table{{.self = MasterId{1}, .peers = {MasterId{2}}, .keys = 1}, start_of_time};
  TableActions actions;
  table.connected(MasterId{2}, {}, start_of_time, actions);
  actions.clear();
  wire::MeshHello hello;
  for (const auto* key : {"a"}) {
    wire::LockMessage message;
    message.key = GroupKey{key};
    message.kind = 1;
    message.round = 1;
    hello.outstanding.push_back(message);
  }
  ASSERT_TRUE(table.receive(MasterId{2}, hello, start_of_time, actions));
  EXPECT_EQ(actions.size(), 1U);
  actions.clear();
  // Reconnected while "a" is wanted: the same Hello with another key has no place.
  table.connected(MasterId{2}, {}, start_of_time, actions);
  actions.clear();
  hello.outstanding.push_back(hello.outstanding[0]);
  hello.outstanding[1].key = GroupKey{"b"};
  EXPECT_FALSE(table.receive(MasterId{2}, hello, start_of_time, actions));  // more than can be
}

}  // namespace
}  // namespace fixkeep::lock
