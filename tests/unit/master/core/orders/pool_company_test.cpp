// Whom the holder of a pool's lock seats together, if the rules have roles and avoided players.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "master/rules/plan/brings.hpp"
#include "tests/unit/master/core/orders/pool_holder.hpp"

namespace fixkeep::master {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// Of three players one heals and two fight.
struct PoolCompanyTest : PoolHolder {
  PoolCompanyTest() {
    auto made = *rules;
    made.roles = {{"healer", 1}, {"fighter", 2}};
    made.avoid = plan::AvoidRule{std::chrono::seconds{15}};
    rules = std::make_shared<plan::Rules>(std::move(made));
  }

  static constexpr std::uint8_t healer = 0b01;
  static constexpr std::uint8_t fighter = 0b10;
  [[nodiscard]] std::string text(std::uint8_t roles, const std::vector<std::string>& avoids = {}) {
    plan::Brings brings;
    brings.numbers[0] = 1'500;
    brings.roles = roles;
    for (const std::string& player : avoids) {
      brings.avoids.push_back(plan::avoidable(PlayerId{player}));
    }
    return plan::to_text(brings, *rules);
  }
  void ask(wire::Claim claim) {
    MatchRequested request{TicketId{++tickets},           battle, duel, 3, std::move(claim),
                           now + std::chrono::minutes{10}};
    request.rules = rules;
    core.step(std::move(request), now, actions);
  }
  void ask(const std::string& player, const std::string& brings) {
    ask({PlayerId{player}, {}, {}, brings});
  }
  void decide(std::vector<wire::RoomInfo> rooms = {}) {
    grant();
    lend({});
    promise(std::move(rooms));
  }
};

TEST_F(PoolCompanyTest, a_room_takes_those_for_whom_it_has_a_role) {
  const auto inside = room(1, {{"x", text(healer | fighter)}, {"y", text(fighter)}});
  connect({inside});
  ask("ann", text(fighter));
  ask("bob", text(healer));
  decide({inside});
  const auto asked = to_worker<wire::SeatRequest>();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_THAT(players(asked[0].claims), ElementsAre("ann")) << "x heals then";
}

TEST_F(PoolCompanyTest, a_room_takes_nobody_whose_roles_are_taken) {
  const auto inside = room(1, {{"x", text(fighter)}, {"y", text(fighter)}});
  connect({inside});
  ask("ann", text(fighter));
  ask("bob", text(healer));
  decide({inside});
  const auto asked = to_worker<wire::SeatRequest>();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_THAT(players(asked[0].claims), ElementsAre("bob"));
}

TEST_F(PoolCompanyTest, a_room_takes_nobody_whom_one_of_the_two_avoids) {
  const auto inside = room(1, {{"x", text(healer, {"ann"})}});
  connect({inside});
  ask("ann", text(fighter));
  ask("bob", text(fighter, {"x"}));
  ask("cid", text(fighter, {"ann"}));
  decide({inside});
  const auto asked = to_worker<wire::SeatRequest>();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_THAT(players(asked[0].claims), ElementsAre("cid"));
}

TEST_F(PoolCompanyTest, each_of_a_party_brings_its_own_roles_to_its_seat) {
  connect();
  wire::Claim party{PlayerId{"ann"}, {PlayerId{"bob"}}, {}, text(healer, {"eve"})};
  party.party_brings = {text(fighter, {"eve"})};
  ask(party);
  ask("cid", text(healer | fighter));
  decide();
  const auto orders = to_worker<wire::SpawnRoom>();
  ASSERT_THAT(orders, SizeIs(1));
  ASSERT_THAT(orders[0].claims, SizeIs(2));
  EXPECT_EQ(orders[0].claims[0].brings, text(healer, {"eve"}));
  EXPECT_THAT(orders[0].claims[0].party_brings, ElementsAre(text(fighter, {"eve"})));
  EXPECT_EQ(orders[0].claims[1].brings, text(healer | fighter));
}

TEST_F(PoolCompanyTest, a_game_hears_the_numbers_and_roles_of_each_player) {
  connect();
  wire::Claim party{PlayerId{"ann"}, {PlayerId{"bob"}}, {}, text(healer)};
  party.party_brings = {text(fighter)};
  ask(party);
  ask("cid", text(healer | fighter));
  decide();
  const auto orders = to_worker<wire::SpawnRoom>();
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_THAT(
      orders[0].claims.at(0).lineup,
      ElementsAre(
          wire::MatchPlayer{PlayerId{"ann"}, "", R"({"rating":1500,"roles":["healer"]})"},
          wire::MatchPlayer{PlayerId{"bob"}, "", R"({"rating":1500,"roles":["fighter"]})"}));
  EXPECT_THAT(orders[0].claims.at(1).lineup,
              ElementsAre(wire::MatchPlayer{PlayerId{"cid"}, "",
                                            R"({"rating":1500,"roles":["healer","fighter"]})"}));
}

TEST_F(PoolCompanyTest, a_list_that_counts_no_more_does_not_come_to_a_room) {
  connect();
  wire::LentClaim old = lent(70, "ann", 1'500);
  old.claim.brings = text(healer, {"bob"});
  old.waited = std::chrono::seconds{15};
  ask("bob", text(fighter));
  ask("cid", text(fighter));
  grant();
  lend({old});
  promise();
  const auto orders = to_worker<wire::SpawnRoom>();
  ASSERT_THAT(orders, SizeIs(1));
  ASSERT_THAT(orders[0].claims, SizeIs(3)) << "ann has waited for long enough to meet bob";
  for (const wire::Claim& claim : orders[0].claims) {
    const bool heals = claim.player == PlayerId{"ann"};
    EXPECT_EQ(claim.brings, text(heals ? healer : fighter)) << claim.player.text();
  }
}

}  // namespace
}  // namespace fixkeep::master
