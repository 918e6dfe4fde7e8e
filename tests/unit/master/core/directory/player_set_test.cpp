// The players of a room, some of whom have one hash.
#include "master/core/directory/player_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/random.hpp"

namespace fixkeep::master {
namespace {

using Names = std::set<std::pair<std::uint64_t, std::string>>;

void expect_same(const PlayerSet& players, const Names& names) {
  std::set<std::uint64_t> hashes;
  for (const auto& [hash, name] : names) hashes.insert(hash);
  std::vector<std::uint64_t> visited;
  players.each_hash([&](PlayerHash hash) { visited.push_back(hash.number()); });
  std::sort(visited.begin(), visited.end());
  ASSERT_EQ(visited, std::vector(hashes.begin(), hashes.end())) << "each hash once";
  ASSERT_EQ(players.size(), names.size());
}

TEST(PlayerSet, tells_players_of_one_hash_apart) {
  Random random{3};
  PlayerSet players;
  Names names;
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t hash = random.below(6);
    const std::string name = "p" + std::to_string(random.below(5));
    const HashedPlayer player{PlayerHash{hash}, PlayerId{name}};
    ASSERT_EQ(players.contains(player), names.contains({hash, name}));
    if (random.chance(0.5)) {
      ASSERT_EQ(players.insert(player), names.insert({hash, name}).second);
    } else {
      ASSERT_EQ(players.erase(player), names.erase({hash, name}) > 0);
    }
    expect_same(players, names);
    const auto above = names.lower_bound({hash, ""});
    ASSERT_EQ(players.contains(player.hash), above != names.end() && above->first == hash);
  }
}

TEST(PlayerSet, is_the_same_in_whatever_order_its_players_came) {
  std::vector<HashedPlayer> list;
  for (std::uint64_t i = 0; i < 40; ++i) {
    list.push_back({PlayerHash{i / 2}, PlayerId{"p" + std::to_string(i)}});
  }
  const PlayerSet forward{list};
  std::reverse(list.begin(), list.end());
  list.push_back(list.front());
  const PlayerSet backward{list};
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(backward.size(), 40U) << "a player that is named twice counts once";
  PlayerSet other = forward;
  ASSERT_TRUE(other.erase(list.front()));
  EXPECT_NE(other, forward);
}

}  // namespace
}  // namespace fixkeep::master
