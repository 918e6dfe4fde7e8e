// The players of a live run of rules, and who met whom.
#include "lab/pools/live_rules.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "lab/pools/pool_mode.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::client_sim {
namespace {

LiveRules two_numbers() {
  LiveRules mode;
  mode.attributes = {"version"};
  mode.rules.numbers = {"level", "rating"};
  mode.rules.distances = {{.number = 1, .steps = {{}}}};
  mode.rules.party = 2;
  return mode;
}

TEST(PoolLoad, is_the_same_for_a_seed_and_every_player_brings_all_numbers) {
  const LiveRules mode = two_numbers();
  const WorkloadOptions options{
      .players = 400, .groups = 1, .arrival = Arrival::poisson, .rate = 50, .seed = 7};
  const PoolLoad load = make_pool_load(mode, options);
  const PoolLoad again = make_pool_load(mode, options);
  ASSERT_EQ(load.requests.size(), 400U);
  EXPECT_EQ(load.brought, again.brought);
  std::size_t players = 0;
  std::set<std::int64_t> ratings;
  for (const PlannedPlayer& player : load.requests) {
    ASSERT_EQ(player.attributes.size(), 3U);
    EXPECT_EQ(player.attributes[2], (std::pair<std::string, std::int64_t>{"version", 1}));
    EXPECT_LE(player.party.size(), 1U);
    const Numbers& own = load.brought.at(PlayerId{player.id});
    EXPECT_EQ(player.attributes[0].second, own[0]);
    EXPECT_EQ(player.attributes[1].second, own[1]);
    for (const auto& other : player.party) EXPECT_EQ(load.brought.at(PlayerId{other}), own);
    players += 1 + player.party.size();
    ratings.insert(own[1]);
  }
  EXPECT_EQ(load.brought.size(), players);
  EXPECT_GT(players, 410U) << "nobody brings anybody";
  EXPECT_GT(ratings.size(), 200U);
  EXPECT_GT(*ratings.rbegin() - *ratings.begin(), 900) << "a bell of deviation 300";
  EXPECT_NE(make_pool_load(mode, {.players = 400, .groups = 1, .seed = 8}).brought, load.brought);
}

TEST(LiveRules, of_rooms_that_games_close_are_refused) {
  const test::TemporaryFolder folder;
  const auto read = [&](const char* newcomers) {
    const auto file = (folder.path() / "mode.json").string();
    std::ofstream{file} << R"({"name": "duel", "capacity": 2, "newcomers": ")" << newcomers
                        << R"(", "rules": {"wait_ms": 1000}})";
    return read_live_rules(file);
  };
  EXPECT_EQ(read("always").index(), 0U);
  const auto refused = read("until_started");
  ASSERT_EQ(refused.index(), 1U);
  EXPECT_NE(std::get<std::string>(refused).find("leave \"newcomers\" out"), std::string::npos);
}

TEST(PoolRun, spreads_are_those_of_rooms_with_several_requests) {
  const LiveRules mode = two_numbers();
  PoolLoad load;
  std::vector<PlayerRecord> records;
  const auto seated = [&](const char* player, std::int64_t rating, const char* room) {
    load.requests.push_back({.id = player});
    load.brought[PlayerId{player}] = {9, rating};
    records.push_back({.seated = *room != '\0', .room = room});
  };
  seated("a", 1500, "r1");
  seated("b", 900, "r2");
  seated("c", 1460, "r1");
  seated("d", 1530, "r1");
  seated("e", 100, "");
  EXPECT_EQ(spreads_of(records, load, mode.rules), std::vector<double>{70});
  EXPECT_TRUE(spreads_of(records, load, {}).empty());
}

}  // namespace
}  // namespace fixkeep::client_sim
