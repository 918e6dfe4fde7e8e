// The machine on its own. How masters behave together is in tests/scenarios/lock and tests/model.
#include "common/lock/mesh/ricart_agrawala.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/lock/mesh/machines.hpp"

namespace fixkeep::lock {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = RicartAgrawalaKind;

TEST(RicartAgrawala, is_a_regular_value) {
  RicartAgrawala machine{joined_mesh(1, 3)};
  std::vector<RicartAgrawala> seen{machine};
  for (const LockEvent& event :
       {LockEvent{Acquire{}}, LockEvent{Receive{id_of(2), message(Kind::reply, 1)}},
        LockEvent{Receive{id_of(3), message(Kind::request, 1)}},
        LockEvent{Receive{id_of(3), message(Kind::reply, 1)}}, LockEvent{PeerDown{id_of(2)}},
        LockEvent{PeerConnected{id_of(2)}}, LockEvent{PeerUp{id_of(2), {}}},
        LockEvent{Release{{1, id_of(1)}, {.stamp = {1, id_of(1)}, .bytes = "rooms"}}}}) {
    (void)step(machine, event);
    seen.push_back(machine);
  }
  EXPECT_TRUE(all_distinct(seen));
  const RicartAgrawala copy = machine;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy, machine);
}

TEST(RicartAgrawala, answers_earlier_requests_at_once_and_later_ones_when_done) {
  RicartAgrawala machine{joined_mesh(2, 4)};
  EXPECT_THAT(step(machine, Acquire{}),
              ElementsAre("Request(1)>1", "Request(1)>3", "Request(1)>4"));
  EXPECT_THAT(step(machine, Receive{id_of(1), message(Kind::request, 1)}),
              ElementsAre("Reply(1)>1"));
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::request, 1)}), IsEmpty());
  for (const auto peer : {1, 3}) {
    EXPECT_THAT(step(machine, Receive{id_of(peer), message(Kind::reply, 1)}), IsEmpty());
  }
  EXPECT_THAT(step(machine, Receive{id_of(4), message(Kind::reply, 1)}),
              ElementsAre("granted fence"));
  EXPECT_THAT(step(machine, Receive{id_of(1), message(Kind::request, 4)}), IsEmpty());
  EXPECT_THAT(step(machine, Release{{1, id_of(2)}, {}}), ElementsAre("Reply(4)>1", "Reply(1)>3"));
  EXPECT_TRUE(machine.forgettable());
  EXPECT_THAT(step(machine, Acquire{}),
              ElementsAre("Request(5)>1", "Request(5)>3", "Request(5)>4"));
}

TEST(RicartAgrawala, who_abandons_answers_what_it_deferred) {
  RicartAgrawala machine{joined_mesh(1, 2)};
  (void)step(machine, Acquire{});
  (void)step(machine, Receive{id_of(2), message(Kind::request, 1)});
  EXPECT_THAT(step(machine, Abandon{}), ElementsAre("Reply(1)>2"));
  (void)step(machine, Acquire{});
  // For the question that was abandoned.
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::reply, 1)}), IsEmpty());
  EXPECT_EQ(machine.state(), "asking");
}

TEST(RicartAgrawala, does_not_count_an_answer_twice) {
  RicartAgrawala machine{joined_mesh(1, 3)};
  (void)step(machine, Acquire{});
  for (int i = 0; i < 3; ++i) (void)step(machine, Receive{id_of(2), message(Kind::reply, 1)});
  EXPECT_EQ(machine.state(), "asking");
}

TEST(RicartAgrawala, defers_who_has_answered_whatever_time_it_says) {
  auto mesh = joined_mesh(1, 3);
  mesh.used_rounds = 7;
  RicartAgrawala machine{mesh};
  (void)step(machine, Acquire{});
  (void)step(machine, Receive{id_of(2), message(Kind::reply, 8)});
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::request, 1)}), IsEmpty());
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::request, 1)}),
              ElementsAre("Reply(1)>3"));
}

TEST(RicartAgrawala, a_hello_asks_again_and_is_answered) {
  RicartAgrawala machine{joined_mesh(1, 3)};
  EXPECT_FALSE(machine.hello());
  (void)step(machine, Acquire{});
  (void)step(machine, Receive{id_of(2), message(Kind::reply, 1)});
  (void)step(machine, PeerDown{id_of(2)});
  ASSERT_TRUE(machine.hello());
  EXPECT_EQ(machine.hello()->round, 1U);
  (void)step(machine, PeerConnected{id_of(2)});
  EXPECT_THAT(step(machine, PeerUp{id_of(2), message(Kind::request, 0)}),
              ElementsAre("Reply(0)>2"));
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::reply, 1)}), IsEmpty());
  EXPECT_EQ(machine.state(), "asking");  // 2 has to answer once more
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::reply, 1)}),
              ElementsAre("granted fence"));
  EXPECT_FALSE(machine.hello());
  (void)step(machine, PeerDown{id_of(3)});
  (void)step(machine, PeerConnected{id_of(3)});
  EXPECT_THAT(step(machine, PeerUp{id_of(3), message(Kind::reply, 1)}), IsEmpty());
}

TEST(RicartAgrawala, ignores_rubbish) {
  RicartAgrawala machine{joined_mesh(1, 2)};
  (void)step(machine, Acquire{});
  const auto before = machine;
  for (const auto kind : {0, 3, 255}) {
    EXPECT_THAT(step(machine, Receive{id_of(2), message(kind, 1)}), IsEmpty());
    EXPECT_EQ(RicartAgrawala::kind_name(static_cast<std::uint8_t>(kind)), "?");
  }
  for (const auto kind : {Kind::request, Kind::reply}) {
    EXPECT_THAT(step(machine, Receive{id_of(2), message(kind, without_measure)}), IsEmpty());
    EXPECT_THAT(step(machine, Receive{id_of(9), message(kind, 1)}), IsEmpty());
  }
  EXPECT_EQ(machine, before);
}

}  // namespace
}  // namespace fixkeep::lock
