// Orders of rooms for two teams of two, and what their players heard.
#include "lab/pools/team_judge.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fixkeep::client_sim {
namespace {

using Sentences = std::vector<std::string>;

struct Player {
  std::string name;
  std::int64_t rating = 0;
  std::string team;
  std::uint32_t seats = 1;
};

const RoomId room{WorkerId{"w1"}, Incarnation{7}, RoomNumber{1}};

master::plan::Rules two_teams() {
  master::plan::Rules rules;
  rules.numbers = {"rating"};
  rules.size = {.least = 4, .best = 4, .most = 4, .after = {}};
  rules.teams = {.count = 2, .size = 2, .number = 0, .difference = 100};
  return rules;
}

// The players of one order, each of whom heard a team.
class Orders {
 public:
  explicit Orders(const std::vector<Player>& players) {
    events::RoomOrdered order;
    order.group = GroupKey{"duel"};
    for (const Player& player : players) {
      order.players.emplace_back(player.name);
      order.claims.push_back(player.seats);
      order.teams.push_back(player.team);
      brought[PlayerId{player.name}] = {player.rating};
      heard[PlayerId{player.name}] = {to_string(room), player.team};
    }
    tell("m1", order);
    events::RoomChanged changed;
    changed.room = room;
    changed.group = GroupKey{"duel"};
    tell("w1", changed);
  }
  void tell(const std::string& node, const events::What& what) {
    seen.push_back({.node = node, .at = {}, .what = what});
  }
  [[nodiscard]] TeamBill judge() const { return judge_teams(seen, two_teams(), brought, heard); }

  std::vector<events::Event> seen;
  Brought brought;
  HeardSeats heard;
};

TEST(TeamJudge, finds_equal_teams_fine) {
  const auto bill =
      Orders{{{"ann", 1500, "1"}, {"bob", 1500, "2"}, {"cid", 1600, "1"}, {"dan", 1500, "2"}}}
          .judge();
  EXPECT_EQ(bill.rooms, 1U);
  EXPECT_EQ(bill.unequal, 0U);
}

TEST(TeamJudge, counts_each_member_of_a_party) {
  const auto bill = Orders{{{"ann", 1550, "1", 2}, {"bob", 1500, "2"}, {"cid", 1500, "2"}}}.judge();
  EXPECT_EQ(bill.words, Sentences{});
  EXPECT_EQ(bill.rooms, 1U);
}

TEST(TeamJudge, names_the_sums_of_teams_that_differ_too_much) {
  const auto bill =
      Orders{{{"ann", 1500, "1"}, {"bob", 1500, "2"}, {"cid", 1601, "1"}, {"dan", 1500, "2"}}}
          .judge();
  EXPECT_EQ(bill.unequal, 1U);
  EXPECT_EQ(
      bill.words,
      Sentences{"w1-0000000000000007-1: team 1: 2 players, sum 3101; team 2: 2 players, sum 3000"});
}

TEST(TeamJudge, names_teams_of_different_sizes_and_players_without_one) {
  Orders orders{{{"ann", 0, "1"}, {"bob", 0, "1"}, {"cid", 0, "1"}, {"dan", 0, "2"}}};
  EXPECT_EQ(orders.judge().words,
            Sentences{"w1-0000000000000007-1: team 1: 3 players, sum 0; team 2: 1 players, sum 0"});
  orders.heard[PlayerId{"cid"}].team = "";
  EXPECT_EQ(orders.judge().unequal, 1U);
}

TEST(TeamJudge, names_a_player_who_heard_another_team_than_the_game) {
  Orders orders{{{"ann", 0, "1"}, {"bob", 0, "1"}, {"cid", 0, "2"}, {"dan", 0, "2"}}};
  EXPECT_EQ(orders.judge().unlike, 0U);
  std::swap(orders.heard[PlayerId{"bob"}].team, orders.heard[PlayerId{"cid"}].team);
  const auto bill = orders.judge();
  EXPECT_EQ(bill.unequal, 0U);
  EXPECT_EQ(bill.unlike, 1U);
  EXPECT_EQ(bill.words, Sentences{"w1-0000000000000007-1: bob heard team \"2\", and was ordered "
                                  "into team \"1\""});
}

TEST(TeamJudge, leaves_an_order_out_if_a_player_sits_elsewhere_or_nowhere) {
  Orders orders{{{"ann", 0, "1"}, {"bob", 0, "1"}}};
  orders.heard[PlayerId{"bob"}].room = "w2-1-1";
  EXPECT_EQ(orders.judge().rooms, 0U);
  orders.heard.erase(PlayerId{"bob"});
  EXPECT_EQ(orders.judge().rooms, 0U);
}

TEST(TeamJudge, judges_a_repeated_order_once_and_a_refused_one_never) {
  Orders orders{{{"ann", 0, "1"}, {"bob", 0, "2"}}};
  orders.seen.insert(orders.seen.begin() + 1, orders.seen.front());
  EXPECT_EQ(orders.judge().rooms, 1U);
  orders.seen.pop_back();  // no worker made the room
  EXPECT_EQ(orders.judge().rooms, 0U);
}

}  // namespace
}  // namespace fixkeep::client_sim
