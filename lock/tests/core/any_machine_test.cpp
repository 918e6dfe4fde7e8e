// The machine that a name stands for. tests/scenarios and tests/model test their behaviour.
#include "lock/core/any_machine.hpp"

#include <gtest/gtest.h>

namespace fixkeep::lock {
namespace {

TEST(AnyMachine, is_made_by_name) {
  EXPECT_TRUE(std::holds_alternative<NoLock>(make_machine("none", {})));
  EXPECT_TRUE(std::holds_alternative<Multiphase>(make_machine("multiphase", {})));
  for (const auto* name :
       {"redis", "redlock", "etcd", "zookeeper", "postgres", "kubernetes-lease"}) {
    EXPECT_TRUE(std::holds_alternative<Remote>(make_machine(name, {})));
  }
}

TEST(AnyMachineDeathTest, has_no_other_names) {
  EXPECT_DEATH((void)make_machine("paxos", {}), "paxos");
}

}  // namespace
}  // namespace fixkeep::lock
