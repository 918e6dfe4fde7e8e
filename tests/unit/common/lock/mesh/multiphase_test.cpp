// The machine on its own: its cost, and that it is a regular value. How masters behave together is
// in tests/scenarios/lock and tests/model.
#include "common/lock/mesh/multiphase.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/unit/common/lock/mesh/machines.hpp"

namespace fixkeep::lock {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = MultiphaseKind;

class MessageCount : public testing::TestWithParam<std::size_t> {};

TEST_P(MessageCount, is_three_a_peer_and_one_round_trip) {
  const auto masters = GetParam();
  std::vector<Multiphase> machines;
  for (std::size_t i = 1; i <= masters; ++i) machines.emplace_back(joined_mesh(i, masters));
  std::size_t sent = 0;
  std::size_t grants = 0;
  const auto step = [&](std::size_t master, const LockEvent& event) {
    LockActions out;
    machines[master - 1].step(event, {}, out);
    std::vector<Send> sends;
    for (const auto& action : out) {
      if (const auto* send = std::get_if<Send>(&action)) sends.push_back(*send);
      if (std::holds_alternative<Granted>(action)) ++grants;
    }
    sent += sends.size();
    return sends;
  };
  for (std::size_t holder = 1; holder <= masters; ++holder) {
    sent = grants = 0;
    std::vector<std::pair<std::size_t, Send>> answers;
    for (const auto& question : step(holder, Acquire{})) {
      const auto to = std::size_t{question.to.number()};
      for (const auto& answer : step(to, Receive{id_of(holder), question.message})) {
        answers.emplace_back(to, answer);
      }
    }
    for (const auto& [from, answer] : answers) step(holder, Receive{id_of(from), answer.message});
    ASSERT_EQ(grants, 1U);
    for (const auto& reset : step(holder, Release{machines[holder - 1].highest(), {}})) {
      EXPECT_TRUE(step(reset.to.number(), Receive{id_of(holder), reset.message}).empty());
    }
    EXPECT_EQ(sent, 3 * (masters - 1));
  }
  EXPECT_EQ(machines[masters - 1].highest().counter, masters);
}

INSTANTIATE_TEST_SUITE_P(Masters, MessageCount, testing::Range<std::size_t>(2, 10));

TEST(Multiphase, is_a_regular_value) {
  Multiphase machine{joined_mesh(1, 3)};
  std::vector<Multiphase> seen{machine};
  LockActions out;
  const auto step = [&](const LockEvent& event) {
    machine.step(event, {}, out);
    seen.push_back(machine);
  };
  step(Acquire{});
  step(Receive{id_of(2), message(Kind::your_lock, 1)});
  step(Receive{id_of(3), message(Kind::my_lock, 1)});
  step(Receive{id_of(3), message(Kind::your_lock, 1)});
  step(PeerDown{id_of(2)});
  step(PeerConnected{id_of(2)});
  step(PeerUp{id_of(2), {}});
  step(Release{{1, id_of(1)}, {.stamp = {1, id_of(1)}, .bytes = "rooms"}});
  const auto bytes_of = [](const Multiphase& one) {
    std::string bytes;
    one.append_bytes(bytes);
    return bytes;
  };
  std::set<std::string> distinct;
  for (const auto& one : seen) {
    const Multiphase copy = one;  // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(copy, one);
    EXPECT_EQ(bytes_of(copy), bytes_of(one));
    distinct.insert(bytes_of(one));
  }
  EXPECT_EQ(distinct.size(), seen.size());
}

// Priority: the lower the id, the higher.
TEST(Multiphase, an_asker_grants_to_a_higher_priority_and_puts_off_a_lower_one) {
  Multiphase machine{joined_mesh(2, 3)};
  EXPECT_THAT(step(machine, Acquire{}), ElementsAre("MyLock(1)>1", "MyLock(1)>3"));
  EXPECT_THAT(step(machine, Receive{id_of(1), message(Kind::my_lock, 4)}),
              ElementsAre("YourLock(4)>1"));
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::my_lock, 9)}), IsEmpty());
}

TEST(Multiphase, a_holder_puts_everybody_off_until_it_releases) {
  Multiphase machine{joined_mesh(2, 3)};
  (void)step(machine, Acquire{});
  (void)step(machine, Receive{id_of(1), message(Kind::your_lock, 1)});
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::your_lock, 1)}),
              ElementsAre("granted fence"));
  EXPECT_THAT(step(machine, Receive{id_of(1), message(Kind::my_lock, 4)}), IsEmpty());
  EXPECT_THAT(step(machine, Receive{id_of(3), message(Kind::my_lock, 9)}), IsEmpty());
  EXPECT_THAT(step(machine, Release{machine.highest(), {}}),
              ElementsAre("YourLock(4)>1", "YourLock(9)>3", "LockReset(1)>1", "LockReset(1)>3"));
}

TEST(Multiphase, an_answer_does_not_count_for_a_later_round) {
  Multiphase machine{joined_mesh(1, 2)};
  (void)step(machine, Acquire{});
  (void)step(machine, Abandon{});
  EXPECT_THAT(step(machine, Acquire{}), ElementsAre("MyLock(2)>2"));
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::your_lock, 1)}), IsEmpty());
  EXPECT_THAT(step(machine, Receive{id_of(2), message(Kind::your_lock, 2)}),
              ElementsAre("granted fence"));
}

TEST(Multiphase, a_lurker_asks_when_the_peer_that_asked_is_gone) {
  Multiphase machine{joined_mesh(1, 3)};
  (void)step(machine, Receive{id_of(2), message(Kind::my_lock, 1)});
  EXPECT_THAT(step(machine, Acquire{}), IsEmpty());
  EXPECT_THAT(step(machine, PeerDown{id_of(2)}), ElementsAre("MyLock(1)>3"));
}

TEST(Multiphase, keeps_the_newest_value_whatever_it_hears_later) {
  Multiphase machine{joined_mesh(1, 3)};
  auto newer = message(Kind::lock_reset, 1);
  newer.value = {.stamp = {5, id_of(2)}, .bytes = "newer"};
  auto older = message(Kind::lock_reset, 1);
  older.value = {.stamp = {4, id_of(3)}, .bytes = "older"};
  (void)step(machine, Receive{id_of(2), newer});
  (void)step(machine, Receive{id_of(3), older});
  (void)step(machine, Acquire{});
  (void)step(machine, Receive{id_of(2), message(Kind::your_lock, 1)});
  LockActions out;
  machine.step(Receive{id_of(3), message(Kind::your_lock, 1)}, {}, out);
  EXPECT_EQ(std::get<Granted>(out.at(0)).value.bytes, "newer");
}

TEST(Multiphase, does_not_count_an_answer_twice) {
  Multiphase machine{joined_mesh(1, 3)};
  LockActions out;
  machine.step(Acquire{}, {}, out);
  for (int i = 0; i < 3; ++i) {
    machine.step(Receive{id_of(2), message(Kind::your_lock, 1)}, {}, out);
  }
  EXPECT_EQ(machine.state(), "soliciting");
}

TEST(Multiphase, answers_a_question_asked_twice_once_it_is_done) {
  Multiphase machine{joined_mesh(1, 2)};
  LockActions out;
  machine.step(Acquire{}, {}, out);
  machine.step(Receive{id_of(2), message(Kind::your_lock, 1)}, {}, out);
  machine.step(Receive{id_of(2), message(Kind::my_lock, 5)}, {}, out);
  machine.step(Receive{id_of(2), message(Kind::my_lock, 5)}, {}, out);
  out.clear();
  machine.step(Release{{1, id_of(1)}, {}}, {}, out);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(std::get<Send>(out[0]).message.round, 5U);
  EXPECT_EQ(std::get<Send>(out[0]).message.kind, 2U);
  EXPECT_EQ(std::get<Send>(out[1]).message.kind, 3U);
}

TEST(Multiphase, only_a_question_counts_in_a_hello) {
  Multiphase machine{joined_mesh(1, 2)};
  LockActions out;
  machine.step(PeerDown{id_of(2)}, {}, out);
  machine.step(PeerConnected{id_of(2)}, {}, out);
  machine.step(PeerUp{id_of(2), message(Kind::lock_reset, 3)}, {}, out);
  EXPECT_TRUE(out.empty());
  EXPECT_TRUE(machine.forgettable());
}

TEST(Multiphase, tokens_without_measure_do_not_make_its_own_fall) {
  Multiphase machine{joined_mesh(1, 2)};
  LockActions out;
  auto rubbish = message(Kind::lock_reset, 1);
  rubbish.token.counter = without_measure;
  rubbish.value.stamp = rubbish.token;
  rubbish.value.bytes = "rubbish";
  machine.step(Receive{id_of(2), rubbish}, {}, out);
  machine.step(Acquire{}, {}, out);
  out.clear();
  machine.step(Receive{id_of(2), message(Kind::your_lock, 1)}, {}, out);
  const auto& granted = std::get<Granted>(out.at(0));
  EXPECT_EQ(granted.token.counter, 1U);
  EXPECT_TRUE(granted.value.bytes.empty());
}

}  // namespace
}  // namespace fixkeep::lock
