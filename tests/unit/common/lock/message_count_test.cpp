// What an uncontended lock costs, counted over real tables: the messages of one acquisition and its
// release, for 2 to 9 masters (LOCKS.md, "The others").
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "common/lock/quorum.hpp"
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

// All messages of one acquisition and its release.
std::size_t cost(TableMesh& mesh, int masters, int holder) {
  const auto before = messages_sent(mesh, masters);
  mesh.acquire(holder, "a");
  mesh.deliver_all();
  EXPECT_EQ(mesh.state(holder, "a"), "acquired") << masters << " masters: " << holder;
  mesh.release(holder, "a", "rooms");
  mesh.deliver_all();
  return messages_sent(mesh, masters) - before;
}

TEST(UncontendedCoordinator, costs_three_messages_and_none_on_itself) {
  for (int masters = 2; masters <= 9; ++masters) {
    TableMesh mesh{masters, {.strategy = "coordinator"}};
    for (int turn = 0; turn < 2 * masters; ++turn) {
      const int holder = 1 + turn % masters;
      EXPECT_EQ(cost(mesh, masters, holder), holder == 1 ? 0U : 3U)
          << masters << " masters, turn " << turn;
    }
  }
}

// The vote of the candidate itself is in the quorum, and costs no message.
TEST(UncontendedMaekawa, costs_three_messages_a_member_of_its_quorum) {
  for (int masters = 2; masters <= 9; ++masters) {
    std::set<MasterId> all;
    for (int each = 1; each <= masters; ++each) {
      all.insert(MasterId{static_cast<std::uint16_t>(each)});
    }
    TableMesh grid{masters, {.strategy = "maekawa"}};
    TableMesh majority_of_all{masters, {.strategy = "maekawa", .quorum = Quorum::majority}};
    for (int turn = 0; turn < 2 * masters; ++turn) {
      const int holder = 1 + turn % masters;
      const auto quorum = grid_quorum(all, MasterId{static_cast<std::uint16_t>(holder)}).size();
      EXPECT_EQ(cost(grid, masters, holder), 3 * (quorum - 1))
          << masters << " masters, turn " << turn;
      EXPECT_EQ(cost(majority_of_all, masters, holder), 3 * (majority(all.size()) - 1))
          << masters << " masters, turn " << turn;
      const auto with_own = 3.0 * static_cast<double>(quorum);
      EXPECT_GE(with_own, 3 * std::sqrt(masters));
      EXPECT_LE(with_own, 6 * std::sqrt(masters));
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
