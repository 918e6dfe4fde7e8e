// What a worker does for rooms of pools, whose rules widen.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::RoomPhase;

struct RoomHostPools : testing::Test {
  RoomHostPools() {
    driver.step(MasterConnected{m1});
    driver.step(MasterConnected{m2});
  }
  Driver driver;
};

TEST_F(RoomHostPools, a_request_for_seats_whose_basis_has_passed_seats_nobody_anew) {
  const auto room = driver.open_room(4, {1});
  ASSERT_TRUE(driver.prepare(m2, 5).promised);
  const auto ask = [&](std::optional<FencingToken> basis, std::vector<wire::Claim> wanted) {
    return Driver::last<wire::SeatReply>(
        driver.say(m1, wire::SeatRequest{++driver.request, room, std::move(wanted), basis}));
  };
  const auto stale = ask(FencingToken{4, m1}, claims({1, 2}));
  EXPECT_EQ(stale.granted, (std::vector<std::uint32_t>{0})) << "who has a seat keeps it";
  EXPECT_TRUE(stale.seated.empty());
  EXPECT_EQ(stale.phase, RoomPhase::open);
  EXPECT_EQ(ask(FencingToken{5, m2}, claims({2})).seated.size(), 1U);
  EXPECT_EQ(ask(std::nullopt, claims({3})).seated.size(), 1U)
      << "of a group: its seats are its lock";
}

TEST_F(RoomHostPools, a_room_shows_what_each_of_a_party_brought) {
  const auto room = driver.open_room(5, {1});
  wire::Claim alike{.player = player(2), .party = {player(3)}, .context = {}, .brings = "0 1"};
  wire::Claim unlike{.player = player(4), .party = {player(5)}, .context = {}, .brings = "0 1"};
  unlike.party_brings = {"0 2"};
  driver.seats(m1, room, {alike, unlike});
  EXPECT_EQ(driver.prepare(m2, 5).rooms.at(0).brought,
            (std::vector<std::string>{"", "0 1", "0 1", "0 1", "0 2"}));
}

TEST_F(RoomHostPools, a_room_shows_what_its_players_brought_and_who_left_takes_it_along) {
  const auto room = driver.open_room(4, {1});
  EXPECT_TRUE(driver.prepare(m2, 5).rooms.at(0).brought.empty()) << "nobody has brought anything";
  const auto ask = [&](int number, const char* brings) {
    driver.seats(m1, room,
                 {{.player = player(number), .party = {}, .context = {}, .brings = brings}});
  };
  ask(2, "0 1500");
  ask(3, "1 1400");
  ask(2, "1 9");
  const auto shown = driver.prepare(m2, 6).rooms.at(0);
  EXPECT_EQ(shown.players, (std::vector{player(1), player(2), player(3)}));
  EXPECT_EQ(shown.brought, (std::vector<std::string>{"", "0 1500", "1 1400"}))
      << "who has a seat keeps what it was given for";
  driver.step(ProcessReady{room});
  ASSERT_TRUE(driver.admits(room, 2));
  driver.step(PlayerLeft{room, player(2)});
  driver.seats(m1, room, claims({2}));
  EXPECT_EQ(driver.prepare(m2, 7).rooms.at(0).brought,
            (std::vector<std::string>{"", "", "1 1400"}));
}

// --- what the game hears about its players -------------------------------------------------------

constexpr auto text = R"({"rating":1500})";

wire::Claim lined_up(int number, const char* team) {
  return {.player = player(number),
          .party = {},
          .context = {},
          .brings = "0 1500",
          .party_brings = {},
          .match = std::nullopt,
          .lineup = {{player(number), team, text}}};
}

// The players of the last TellMatch with their teams, such as "p1/2".
std::vector<std::string> told(const Actions& out) {
  std::vector<std::string> players;
  const auto all_told = all<TellMatch>(out);
  if (all_told.empty()) return {"nothing"};
  for (const wire::MatchPlayer& each : all_told.back().match.players) {
    players.push_back(each.player.text() + "/" + each.team);
  }
  return players;
}

struct Lineups : RoomHostPools {
  wire::SpawnRoom order(std::vector<wire::Claim> wanted) {
    return {.request = ++driver.request,
            .group = duel,
            .mode = ModeName{"duel"},
            .creation = {.token = {++driver.token, m1}, .index = 0, .orderer = {}},
            .capacity = 4,
            .claims = std::move(wanted)};
  }
  RoomNumber open(std::vector<wire::Claim> wanted) {
    const auto room =
        Driver::last<wire::SpawnReply>(driver.say(m1, order(std::move(wanted)))).room.number;
    driver.step(ProcessReady{room});
    driver.batch();
    return room;
  }
  [[nodiscard]] std::string name(int number, const char* team) const {
    return player(number).text() + "/" + team;
  }
};

TEST_F(Lineups, a_game_starts_with_all_players_of_its_order) {
  const auto started =
      all<StartProcess>(driver.say(m1, order({lined_up(1, "1"), lined_up(2, "2")})));
  ASSERT_EQ(started.size(), 1U);
  ASSERT_TRUE(started[0].match);
  EXPECT_EQ(started[0].match->told, duel);
  EXPECT_EQ(started[0].match->players,
            (std::vector<wire::MatchPlayer>{{player(1), "1", text}, {player(2), "2", text}}));
}

TEST_F(Lineups, a_game_hears_who_joins_and_who_leaves_once_a_batch) {
  const auto room = open({lined_up(1, "1")});
  driver.seats(m1, room, {lined_up(2, "2")});
  driver.seats(m1, room, {lined_up(3, "1")});
  EXPECT_EQ(told(driver.batch()), (std::vector{name(1, "1"), name(2, "2"), name(3, "1")}));
  ASSERT_TRUE(driver.admits(room, 2));
  EXPECT_EQ(told(driver.batch()), std::vector<std::string>{"nothing"}) << "it knows who comes";
  driver.step(PlayerLeft{room, player(2)});
  EXPECT_EQ(told(driver.batch()), (std::vector{name(1, "1"), name(3, "1")}));
  const auto all_left = [&] {
    for (const int number : {1, 3}) {
      EXPECT_TRUE(driver.admits(room, number));
      driver.step(PlayerLeft{room, player(number)});
    }
    return driver.batch();
  };
  EXPECT_EQ(told(all_left()), std::vector<std::string>{});
}

TEST_F(Lineups, a_player_that_asks_again_keeps_its_team) {
  const auto room = open({lined_up(1, "1")});
  driver.seats(m1, room, {lined_up(1, "2")});
  EXPECT_EQ(told(driver.batch()), std::vector<std::string>{"nothing"});
}

TEST_F(Lineups, a_game_of_equal_players_hears_nothing) {
  const auto room = driver.open_room(4, {1});
  driver.seats(m1, room, claims({2}));
  EXPECT_EQ(told(driver.batch()), std::vector<std::string>{"nothing"});
}

}  // namespace
}  // namespace fixkeep::worker
