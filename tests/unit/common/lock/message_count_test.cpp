// What an uncontended lock costs, counted over real tables: the messages of one acquisition and its
// release, for 2 to 9 masters (LOCKS.md, "The others").
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/lock/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using testing::ElementsAre;

struct Cost {
  const char* strategy;
  std::size_t a_peer;  // messages, all masters together
};

class UncontendedLock : public testing::TestWithParam<Cost> {};

std::size_t messages_sent(TableMesh& mesh, int masters) {
  std::size_t sent = 0;
  for (int master = 1; master <= masters; ++master) {
    sent += mesh.table(master).statistics().messages_sent;
  }
  return sent;
}

TEST_P(UncontendedLock, costs_what_its_table_says) {
  for (int masters = 2; masters <= 9; ++masters) {
    TableMesh mesh{masters, {.strategy = GetParam().strategy}};
    // Twice round: what masters have learned of each other changes nothing.
    for (int turn = 0; turn < 2 * masters; ++turn) {
      const int holder = 1 + turn % masters;
      const auto before = messages_sent(mesh, masters);
      mesh.acquire(holder, "a");
      mesh.deliver_all();
      ASSERT_EQ(mesh.state(holder, "a"), "acquired") << masters << " masters, turn " << turn;
      mesh.release(holder, "a", "rooms");
      mesh.deliver_all();
      EXPECT_EQ(messages_sent(mesh, masters) - before,
                GetParam().a_peer * static_cast<std::size_t>(masters - 1))
          << masters << " masters, turn " << turn;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mesh, UncontendedLock,
                         testing::Values(Cost{"multiphase", 3},       //
                                         Cost{"lamport", 3},          //
                                         Cost{"ricart-agrawala", 2},  //
                                         Cost{"two-phase", 4}),
                         [](const auto& cost) { return name_of_case(cost.param.strategy); });

}  // namespace
}  // namespace fixkeep::lock
