// The cost of an uncontended lock, counted over real tables for 2 to 9 masters: the messages of one
// acquisition and its release (docs/locks.md, "The mesh locks").
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/random.hpp"
#include "lock/core/mesh/quorum.hpp"
#include "lock/tests/core/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

struct Cost {
  const char* strategy;
  Quorum quorum;
  // Messages of all masters together for a lock of `holder`.
  std::size_t (*messages)(int masters, int holder);
  // The same for the key's first lock, if that differs.
  std::size_t (*first)(int masters, int holder) = nullptr;
};

template <std::size_t each>
std::size_t per_peer(int masters, int) {
  return each * static_cast<std::size_t>(masters - 1);
}

// 3(K-1), with K the size of the quorum: the own vote costs none.
std::size_t per_voter(int masters, int holder) {
  std::set<MasterId> all;
  for (int m = 1; m <= masters; ++m) all.insert(id_of(m));
  return 3 * (grid_quorum(all, id_of(holder)).size() - 1);
}
std::size_t per_voter_of_majority(int masters, int) {
  return 3 * (majority(static_cast<std::size_t>(masters)) - 1);
}

// 3 for each other master of the path from the root, 1, to a leaf. The rows are 2 to 9 masters; of
// an even number, the last one has no place in the tree.
std::size_t per_node_of_a_path(int masters, int holder) {
  constexpr std::array<std::string_view, 8> others{"01",     "111",     "1112",     "12122",
                                                   "121222", "2222222", "22222223", "222322233"};
  const auto row = others.at(static_cast<std::size_t>(masters - 2));
  return 3 * static_cast<std::size_t>(row.at(static_cast<std::size_t>(holder - 1)) - '0');
}

std::size_t of_one_question(int, int holder) {
  return holder == 1 ? 0 : 3;  // the first master is the coordinator
}

// A Request to each peer, and the token.
std::size_t of_the_token(int masters, int) {
  return static_cast<std::size_t>(masters);
}

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
    TableMesh mesh{masters, {.strategy = GetParam().strategy, .quorum = GetParam().quorum}};
    // Twice round: what masters have learned of each other changes nothing.
    for (int turn = 0; turn < 2 * masters; ++turn) {
      const int holder = 1 + turn % masters;
      const auto before = messages_sent(mesh, masters);
      mesh.take(holder, "a");
      ASSERT_EQ(mesh.state(holder, "a"), "acquired") << masters << " masters, turn " << turn;
      mesh.give(holder, "a", "rooms");
      auto* messages = GetParam().first != nullptr && turn == 0 ? GetParam().first  //
                                                                : GetParam().messages;
      EXPECT_EQ(messages_sent(mesh, masters) - before, messages(masters, holder))
          << masters << " masters, turn " << turn;
    }
  }
}

// Only the peers that have asked since the last hold are asked, however many there are.
TEST(RememberedPermissions, cost_nothing_until_a_peer_asks) {
  TableMesh mesh{9, {.strategy = "carvalho-roucairol"}};
  const auto cost_of = [&](int holder) {
    const auto before = messages_sent(mesh, 9);
    mesh.take(holder, "a");
    EXPECT_EQ(mesh.state(holder, "a"), "acquired");
    mesh.give(holder, "a", "rooms");
    return messages_sent(mesh, 9) - before;
  };
  EXPECT_EQ(cost_of(2), 16U);
  EXPECT_EQ(cost_of(2), 0U);
  EXPECT_EQ(cost_of(7), 16U);
  for (int turn = 0; turn < 5; ++turn) {
    EXPECT_EQ(cost_of(2), 2U);
    EXPECT_EQ(cost_of(2), 0U);
    EXPECT_EQ(cost_of(7), 2U);
  }
}

class Token : public testing::TestWithParam<std::string> {};

TEST_P(Token, costs_nothing_where_it_is) {
  TableMesh mesh{3, {.strategy = GetParam()}};
  mesh.take(2, "a");
  mesh.give(2, "a", "rooms");
  const auto before = messages_sent(mesh, 3);
  mesh.take(2, "a");
  EXPECT_EQ(mesh.state(2, "a"), "acquired");
  mesh.give(2, "a", "rooms");
  EXPECT_EQ(messages_sent(mesh, 3), before);
  EXPECT_EQ(mesh.state(2, "a"), "keeping");
}

INSTANTIATE_TEST_SUITE_P(Mesh, Token, testing::Values("suzuki-kasami", "naimi-trehel", "raymond"),
                         lock_of);

// The tree of naimi-trehel: all masters on the path of a request point at its sender then.
class Tree {
 public:
  explicit Tree(int masters) : last_(static_cast<std::size_t>(masters) + 1, 1) { last_[1] = 0; }

  // Returns the messages of a hold: the request on its path, and the token.
  std::size_t take(int master) {
    std::size_t messages = 0;
    int at = master;
    for (; last(at) != 0; ++messages) at = std::exchange(last(at), master);
    last(at) = master;
    last(master) = 0;
    return messages == 0 ? 0 : messages + 1;
  }

 private:
  int& last(int master) { return last_[static_cast<std::size_t>(master)]; }

  std::vector<int> last_;  // of each master; 0 at the root
};

TEST(PathReversal, costs_the_length_of_a_path_and_a_harmonic_number_on_average) {
  Random random{1};
  for (const int masters : {2, 3, 5, 9, 30}) {
    TableMesh mesh{masters, {.strategy = "naimi-trehel"}};
    Tree tree{masters};
    mesh.hold(1, "a");
    double mean = 0;
    for (int other = 1; other < masters; ++other) mean += 1.0 / other;
    constexpr int holds = 3'000;
    const auto before = messages_sent(mesh, masters);
    for (int hold = 0; hold < holds; ++hold) {
      const int holder = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(masters)));
      const auto sent = messages_sent(mesh, masters);
      mesh.hold(holder, "a");
      ASSERT_EQ(messages_sent(mesh, masters) - sent, tree.take(holder)) << masters << " masters";
    }
    const auto sent = static_cast<double>(messages_sent(mesh, masters) - before);
    EXPECT_NEAR(sent / holds, mean, mean / 20) << masters << " masters";
  }
}

// The edges between two masters of raymond's tree: master 1 is the root, and m is above 2m, 2m + 1.
std::size_t edges_between(int one, int other) {
  std::size_t edges = 0;
  for (; one != other; ++edges) (one > other ? one : other) /= 2;
  return edges;
}

TEST(StaticTree, costs_two_messages_for_each_edge_to_the_token) {
  Random random{1};
  for (const int masters : {2, 3, 5, 9, 30}) {
    TableMesh mesh{masters, {.strategy = "raymond"}};
    mesh.hold(1, "a");
    for (int hold = 0, before = 1; hold < 300; ++hold) {
      const int holder = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(masters)));
      const auto sent = messages_sent(mesh, masters);
      mesh.hold(holder, "a");
      ASSERT_EQ(messages_sent(mesh, masters) - sent, 2 * edges_between(before, holder))
          << masters << " masters, from " << before << " to " << holder;
      before = holder;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mesh, UncontendedLock,
                         testing::Values(Cost{"multiphase", Quorum::grid, per_peer<3>},
                                         Cost{"lamport", Quorum::grid, per_peer<3>},
                                         Cost{"ricart-agrawala", Quorum::grid, per_peer<2>},
                                         Cost{"carvalho-roucairol", Quorum::grid, per_peer<2>},
                                         Cost{"suzuki-kasami", Quorum::grid, of_the_token,
                                              per_peer<2>},
                                         Cost{"maekawa", Quorum::grid, per_voter},
                                         Cost{"maekawa", Quorum::majority, per_voter_of_majority},
                                         Cost{"tree-quorum", Quorum::grid, per_node_of_a_path},
                                         Cost{"coordinator", Quorum::grid, of_one_question},
                                         Cost{"two-phase", Quorum::grid, per_peer<4>}),
                         [](const auto& cost) {
                           return name_of_case(cost.param.strategy) + "_" +
                                  std::string{to_string(cost.param.quorum)};
                         });

}  // namespace
}  // namespace fixkeep::lock
