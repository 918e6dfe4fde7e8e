// The machine on its own. How masters behave together is in tests/scenarios/lock and tests/model.
#include "common/lock/mesh/lamport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/lock/mesh/machines.hpp"

namespace fixkeep::lock {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = LamportKind;

TEST(Lamport, is_a_regular_value) {
  Lamport machine{joined_mesh(1, 3)};
  std::vector<Lamport> seen{machine};
  for (const LockEvent& event :
       {LockEvent{Acquire{}}, LockEvent{Receive{id_of(2), message(Kind::reply, 1)}},
        LockEvent{Receive{id_of(3), message(Kind::request, 1)}},
        LockEvent{Receive{id_of(3), message(Kind::reply, 2)}}, LockEvent{PeerDown{id_of(2)}},
        LockEvent{PeerConnected{id_of(2)}}, LockEvent{PeerUp{id_of(2), {}}},
        LockEvent{Release{{1, id_of(1)}, {.stamp = {1, id_of(1)}, .bytes = "rooms"}}}}) {
    (void)step(machine, event);
    seen.push_back(machine);
  }
  EXPECT_TRUE(all_distinct(seen));
  const Lamport copy = machine;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy, machine);
}

TEST(Lamport, enters_when_first_and_answered_by_all) {
  Lamport machine{joined_mesh(2, 3)};
  EXPECT_THAT(step(machine, Acquire{}), ElementsAre("Request(1)>1", "Request(1)>3"));
  // The same time, and the lower number goes first.
  EXPECT_THAT(step(machine, Receive{id_of(1), message(Kind::request, 1)}),
              ElementsAre("Reply(1)>1"));
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::request, 1)}),
              ElementsAre("ReplyBehind(1)>3"));
  EXPECT_THAT(step(machine, Receive{id_of(1), message(Kind::reply_behind, 1)}), IsEmpty());
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::reply, 1)}), IsEmpty());
  EXPECT_EQ(machine.state(), "asking");
  EXPECT_THAT(step(machine, Receive{id_of(1), message(Kind::release, 1)}),
              ElementsAre("granted fence"));
  EXPECT_FALSE(machine.forgettable());
  EXPECT_THAT(step(machine, Release{{1, id_of(2)}, {}}),
              ElementsAre("Release(1)>1", "Release(1)>3"));
  EXPECT_FALSE(machine.forgettable());  // 3 is in the queue
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::release, 1)}), IsEmpty());
  EXPECT_TRUE(machine.forgettable());
}

TEST(Lamport, asks_later_than_everything_it_has_seen) {
  Lamport machine{joined_mesh(1, 2)};
  (void)step(machine, Receive{id_of(2), message(Kind::request, 41)});
  EXPECT_EQ(machine.round(), 41U);
  EXPECT_THAT(step(machine, Acquire{}), ElementsAre("Request(42)>2"));
}

TEST(Lamport, an_answer_older_than_its_request_does_not_count) {
  auto mesh = joined_mesh(1, 2);
  mesh.used_rounds = 7;
  Lamport machine{mesh};
  EXPECT_THAT(step(machine, Acquire{}), ElementsAre("Request(8)>2"));
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::reply, 7)}), IsEmpty());
  EXPECT_EQ(machine.state(), "asking");
}

TEST(Lamport, a_holder_answers_an_earlier_request_when_it_is_done) {
  auto mesh = joined_mesh(1, 2);
  mesh.used_rounds = 7;
  Lamport machine{mesh};
  (void)step(machine, Acquire{});
  (void)step(machine, Receive{id_of(2), message(Kind::reply, 8)});
  ASSERT_TRUE(machine.holding());
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::request, 3)}), IsEmpty());
  EXPECT_THAT(step(machine, Release{{1, id_of(1)}, {}}), ElementsAre("Reply(8)>2", "Release(8)>2"));
}

TEST(Lamport, who_was_told_again_of_a_request_waits_for_its_release) {
  Lamport machine{joined_mesh(1, 2)};
  (void)step(machine, Acquire{});
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::reply_behind, 4)}), IsEmpty());
  EXPECT_EQ(machine.state(), "asking");
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::release, 3)}),
              ElementsAre("granted fence"));
}

TEST(Lamport, a_hello_says_what_is_asked_for_and_is_answered) {
  Lamport machine{joined_mesh(1, 2)};
  EXPECT_FALSE(machine.hello());
  (void)step(machine, Acquire{});
  ASSERT_TRUE(machine.hello());
  EXPECT_EQ(machine.hello()->round, 1U);
  (void)step(machine, PeerDown{id_of(2)});
  ASSERT_TRUE(machine.holding());
  EXPECT_TRUE(machine.hello());
  (void)step(machine, PeerConnected{id_of(2)});
  EXPECT_THAT(step(machine, PeerUp{id_of(2), message(Kind::request, 5)}),
              ElementsAre("ReplyBehind(5)>2"));
  (void)step(machine, PeerDown{id_of(2)});
  (void)step(machine, PeerConnected{id_of(2)});
  EXPECT_THAT(step(machine, PeerUp{id_of(2), message(Kind::release, 5)}), IsEmpty());
}

TEST(Lamport, ignores_rubbish) {
  Lamport machine{joined_mesh(1, 2)};
  (void)step(machine, Acquire{});
  const auto before = machine;
  for (const auto kind : {0, 5, 255}) {
    EXPECT_THAT(step(machine, Receive{id_of(2), message(kind, 1)}), IsEmpty());
    EXPECT_EQ(Lamport::kind_name(static_cast<std::uint8_t>(kind)), "?");
  }
  for (const auto kind : {Kind::request, Kind::reply, Kind::reply_behind, Kind::release}) {
    EXPECT_THAT(step(machine, Receive{id_of(2), message(kind, without_measure)}), IsEmpty());
    EXPECT_THAT(step(machine, Receive{id_of(9), message(kind, 1)}), IsEmpty());
  }
  EXPECT_EQ(machine, before);
}

}  // namespace
}  // namespace fixkeep::lock
