#include "common/lock/mesh/none.hpp"

#include <gtest/gtest.h>

#include "common/lock/any_machine.hpp"

namespace fixkeep::lock {
namespace {

TEST(NoLock, grants_at_once_with_growing_tokens_and_no_fence) {
  NoLock machine{{.self = MasterId{3}}};
  LockActions out;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    out.clear();
    machine.step(Acquire{}, {}, out);
    ASSERT_EQ(out.size(), 1U);
    const auto& granted = std::get<Granted>(out[0]);
    EXPECT_EQ(granted.token, (FencingToken{i, MasterId{3}}));
    EXPECT_FALSE(granted.needs_fence);
    EXPECT_TRUE(machine.holding());
    machine.step(Release{granted.token, {}}, {}, out);
    EXPECT_FALSE(machine.holding());
  }
}

TEST(NoLock, goes_on_above_a_token_that_it_was_told_of) {
  NoLock machine{{.self = MasterId{3}}};
  LockActions out;
  machine.step(Acquire{}, {}, out);
  machine.step(Release{{41, MasterId{9}}, {}}, {}, out);
  out.clear();
  machine.step(Acquire{}, {}, out);
  EXPECT_EQ(std::get<Granted>(out.at(0)).token.counter, 42U);
}

TEST(AnyMachine, is_made_by_name) {
  EXPECT_TRUE(std::holds_alternative<NoLock>(make_machine("none", {})));
  EXPECT_TRUE(std::holds_alternative<Multiphase>(make_machine("multiphase", {})));
  for (const auto* name : {"redis", "redlock", "etcd", "zookeeper"}) {
    EXPECT_TRUE(std::holds_alternative<Remote>(make_machine(name, {})));
  }
}

TEST(AnyMachineDeathTest, has_no_other_names) {
  EXPECT_DEATH((void)make_machine("paxos", {}), "paxos");
}

}  // namespace
}  // namespace fixkeep::lock
