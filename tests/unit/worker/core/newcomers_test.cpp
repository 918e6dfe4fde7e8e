// Which rooms take newcomers: players without a seat in the room.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;
using wire::RoomPhase;

struct RoomNewcomers : testing::Test {
  RoomNewcomers() { begin(small_options()); }
  void begin(RoomHostOptions options) {
    driver = Driver{std::move(options)};
    driver.step(MasterConnected{m1});
    driver.step(MasterConnected{m2});
  }

  // An open room of a duel, with its first players in the game.
  RoomNumber room_of(Newcomers rule, std::vector<wire::Claim> first, Duration lasts = {}) {
    wire::SpawnRoom order{.request = ++driver.request,
                          .group = duel,
                          .mode = ModeName{"duel"},
                          .creation = {.token = {++driver.token, m1}, .index = 0, .orderer = {}},
                          .capacity = capacity,
                          .claims = std::move(first)};
    order.newcomers = rule;
    order.newcomers_for = lasts;
    const auto room = Driver::last<wire::SpawnReply>(driver.say(m1, std::move(order))).room.number;
    driver.step(ProcessReady{room});
    driver.batch();
    return room;
  }
  RoomStage stage(RoomNumber room) {
    for (const auto& info : driver.host.rooms()) {
      if (info.number == room) return info.stage;
    }
    ADD_FAILURE() << "the room is gone";
    return {};
  }
  void leaves(RoomNumber room, int number) {
    driver.step(PlayerLeft{room, player(number)});
    driver.batch();
  }
  bool gets_seat(RoomNumber room, int number) {
    return !driver.seats(m2, room, claims({number})).granted.empty();
  }
  Actions decides(RoomNumber room, NewcomersWord word) {
    driver.step(NewcomersDecided{room, word});
    return driver.batch();
  }
  void wants(RoomNumber room, Wants wanted) {
    driver.step(NewcomersDecided{.room = room, .wants = std::move(wanted)});
    driver.batch();
  }
  // A player of a team, with roles as JSON.
  static wire::Claim plays(int number, const std::string& team, const std::string& roles) {
    wire::Claim claim{.player = player(number), .party = {}, .brings = "0 1500"};
    claim.lineup = {{player(number), team, R"({"rating":1500,"roles":)" + roles + "}"}};
    return claim;
  }
  bool gets_seat(RoomNumber room, wire::Claim claim) {
    return !driver.seats(m2, room, {std::move(claim)}).granted.empty();
  }
  // Two players come, and player 2 leaves the game.
  RoomNumber duel_with_a_quitter(Newcomers rule) {
    const auto room = room_of(rule, claims({1, 2}));
    EXPECT_TRUE(driver.admits(room, 1) && driver.admits(room, 2));
    leaves(room, 2);
    return room;
  }

  Driver driver;
  std::uint32_t capacity = 2;
};

TEST_F(RoomNewcomers, always_get_the_seat_of_a_player_that_left) {
  const auto room = duel_with_a_quitter(Newcomers::always);
  EXPECT_EQ(stage(room), RoomStage::running);
  EXPECT_TRUE(gets_seat(room, 3));
}

TEST_F(RoomNewcomers, never_get_the_seat_of_a_player_that_left) {
  const auto room = duel_with_a_quitter(Newcomers::never);
  EXPECT_EQ(stage(room), RoomStage::no_newcomers);
  EXPECT_FALSE(gets_seat(room, 3));
  EXPECT_TRUE(gets_seat(room, 1)) << "the player has a seat there";
}

TEST_F(RoomNewcomers, never_is_for_a_room_whose_seats_have_all_been_taken) {
  const auto room = room_of(Newcomers::never, claims({1}));
  EXPECT_EQ(stage(room), RoomStage::gathering);
  EXPECT_TRUE(gets_seat(room, 2)) << "the first match is not complete";
  EXPECT_EQ(stage(room), RoomStage::no_newcomers);
}

TEST_F(RoomNewcomers, never_is_for_a_room_whose_players_were_chosen_by_rules) {
  const auto room = room_of(
      Newcomers::never, {{.player = player(1), .party = {}, .context = {}, .brings = "0 1500"}});
  EXPECT_EQ(stage(room), RoomStage::no_newcomers);
  EXPECT_FALSE(gets_seat(room, 2));
}

TEST_F(RoomNewcomers, until_started_end_with_the_word_of_the_game) {
  const auto room = duel_with_a_quitter(Newcomers::until_started);
  EXPECT_TRUE(gets_seat(room, 3)) << "the game has not started";
  driver.release(m2, room, {}, {3});
  decides(room, NewcomersWord::closed);
  EXPECT_EQ(stage(room), RoomStage::no_newcomers);
  EXPECT_FALSE(gets_seat(room, 3));
}

TEST_F(RoomNewcomers, come_and_go_with_the_word_of_the_game_in_every_mode) {
  for (const Newcomers rule : {Newcomers::always, Newcomers::until_started, Newcomers::never}) {
    const auto room = duel_with_a_quitter(rule);
    decides(room, NewcomersWord::closed);
    EXPECT_FALSE(gets_seat(room, 3));
    decides(room, NewcomersWord::open);
    EXPECT_EQ(stage(room), RoomStage::running);
    EXPECT_TRUE(gets_seat(room, 3));
    driver.step(ShutdownAsked{room});
    driver.step(ProcessExited{room, "exit code 0"});
    driver.batch();
  }
}

TEST_F(RoomNewcomers, are_no_players_who_have_a_seat_but_half_of_a_party_is) {
  const auto room = room_of(Newcomers::always, claims({1}));
  decides(room, NewcomersWord::closed);
  const auto reply = driver.seats(
      m1, room, {{.player = player(1), .party = {player(2)}}, {.player = player(1), .party = {}}});
  EXPECT_EQ(reply.granted, (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(reply.seated.empty());
}

TEST_F(RoomNewcomers, are_refused_as_every_master_hears) {
  const auto room = room_of(Newcomers::always, claims({1}));
  const auto told = all<SendToMaster>(decides(room, NewcomersWord::closed));
  ASSERT_EQ(told.size(), 2U);
  for (const auto& each : told) {
    EXPECT_EQ(std::get<wire::RoomsChanged>(each.message).changed.at(0).stage,
              RoomStage::no_newcomers);
  }
  EXPECT_TRUE(all<SendToMaster>(decides(room, NewcomersWord::closed)).empty()) << "nothing new";
  EXPECT_EQ(driver.prepare(m2, 9).rooms.at(0).stage, RoomStage::no_newcomers);
}

TEST_F(RoomNewcomers, of_a_started_room_that_is_empty_would_come_in_vain_so_it_ends) {
  const auto room = duel_with_a_quitter(Newcomers::until_started);
  decides(room, NewcomersWord::closed);
  leaves(room, 1);
  driver.pass(milliseconds{1});
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::empty);
}

TEST_F(RoomNewcomers, of_an_empty_room_that_starts_now_come_in_vain_too) {
  const auto room = duel_with_a_quitter(Newcomers::until_started);
  leaves(room, 1);
  driver.pass(milliseconds{1});
  EXPECT_EQ(stage(room), RoomStage::running) << "the next players may come";
  decides(room, NewcomersWord::closed);
  driver.pass(milliseconds{1});
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::empty);
}

TEST_F(RoomNewcomers, keep_an_empty_room_of_another_mode_as_long_as_ever) {
  const auto room = duel_with_a_quitter(Newcomers::always);
  decides(room, NewcomersWord::closed);
  leaves(room, 1);
  driver.pass(milliseconds{1});
  EXPECT_EQ(stage(room), RoomStage::no_newcomers) << "its game may open it again";
}

TEST_F(RoomNewcomers, of_a_services_match_come_whatever_the_mode_and_the_game_say) {
  wire::MatchFacts match{.told = GroupKey{"duel"}};
  match.players = {{player(1), "", ""}, {player(2), "", ""}};
  wire::Claim both{.player = player(1), .party = {player(2)}};
  both.match = match;
  const auto room = room_of(Newcomers::never, {both});
  decides(room, NewcomersWord::closed);
  EXPECT_EQ(stage(room), RoomStage::gathering);
  driver.release(m1, room, {}, {1});
  driver.pass(milliseconds{1});
  EXPECT_EQ(driver.seats(m2, room, {both}).granted.size(), 1U);
}

TEST_F(RoomNewcomers, are_not_the_players_for_whom_a_closed_warm_room_is_ordered) {
  const auto room = driver.spawn(m1, 1, 2, {}, wire::warm_pool_of(ModeName{"duel"}, 2)).room.number;
  driver.step(ProcessReady{room});
  decides(room, NewcomersWord::closed);
  EXPECT_EQ(driver.spawn(m1, 2, 2, {1}).granted.size(), 1U);
  EXPECT_FALSE(gets_seat(room, 2));
}

// --- what the next run knows ---------------------------------------------------------------------

TEST_F(RoomNewcomers, stay_away_from_a_closed_room_after_the_worker_was_killed) {
  auto options = small_options();
  options.keep_records = true;
  for (const auto& [rule, word] : {std::pair{Newcomers::always, NewcomersWord::closed},
                                   std::pair{Newcomers::never, NewcomersWord::none}}) {
    begin(options);
    const auto room = duel_with_a_quitter(rule);
    if (word != NewcomersWord::none) decides(room, word);
    const Memory memory = memory_of(driver.host.take_records());
    Driver next{options};
    next.step(Recovered{.memory = memory, .complete = true});
    next.step(MasterConnected{m2});
    EXPECT_TRUE(next.seats(m2, room, claims({3})).granted.empty());
    EXPECT_EQ(next.host.rooms().at(0).stage, RoomStage::no_newcomers);
  }
}

TEST_F(RoomNewcomers, stay_away_from_a_room_that_was_full_only_for_a_moment) {
  auto options = small_options();
  options.keep_records = true;
  begin(options);
  const auto room = room_of(Newcomers::never, claims({1}));
  const auto reply = driver.seats(m2, room, claims({2}));
  driver.batch();
  driver.release(m2, room, reply.reservation, {2});
  driver.batch();
  const Memory memory = memory_of(driver.host.take_records());
  Driver next{options};
  next.step(Recovered{.memory = memory, .complete = true});
  next.step(MasterConnected{m2});
  EXPECT_TRUE(next.seats(m2, room, claims({3})).granted.empty());
}

TEST_F(RoomNewcomers, stay_away_from_a_room_that_has_had_a_player_for_a_time) {
  auto options = small_options();
  options.keep_records = true;
  begin(options);
  const auto room = room_of(Newcomers::until_started, {}, seconds{5});
  driver.pass(seconds{3});
  EXPECT_TRUE(gets_seat(room, 1)) << "the time begins with this player";
  EXPECT_TRUE(driver.admits(room, 1));
  driver.batch();
  const Memory memory = memory_of(driver.host.take_records());
  driver.pass(seconds{5} - Duration{1});
  EXPECT_NE(stage(room), RoomStage::no_newcomers);
  driver.pass(Duration{1});
  EXPECT_EQ(stage(room), RoomStage::no_newcomers);
  EXPECT_FALSE(gets_seat(room, 2));
  decides(room, NewcomersWord::open);
  EXPECT_TRUE(gets_seat(room, 2)) << "the game decides";

  // The worker was killed before the time was over.
  Driver next{options};
  next.now = driver.now - seconds{1};
  next.host = RoomHost{options, next.now};
  next.step(Recovered{.memory = memory, .complete = true});
  EXPECT_NE(next.host.rooms().at(0).stage, RoomStage::no_newcomers);
  next.pass(seconds{1});
  EXPECT_EQ(next.host.rooms().at(0).stage, RoomStage::no_newcomers);
}

TEST_F(RoomNewcomers, come_after_that_time_if_the_game_has_opened_its_room) {
  const auto room = room_of(Newcomers::until_started, claims({1}), seconds{5});
  decides(room, NewcomersWord::open);
  driver.pass(seconds{5});
  EXPECT_TRUE(gets_seat(room, 2));
}

// --- players that a game wants ------------------------------------------------------------------

TEST_F(RoomNewcomers, are_the_players_that_the_game_wants_and_no_others) {
  capacity = 8;
  for (const Newcomers rule : {Newcomers::always, Newcomers::never}) {
    const auto room = room_of(rule, claims({1}));
    decides(room, NewcomersWord::closed);
    wants(room, {{"1", "healer", 1}, {"2", "", 1}});
    EXPECT_EQ(stage(room), RoomStage::running);
    EXPECT_FALSE(gets_seat(room, 2)) << "nothing is known of the player";
    EXPECT_FALSE(gets_seat(room, plays(3, "1", R"(["fighter"])")));
    EXPECT_FALSE(gets_seat(room, plays(4, "1", "7")));
    EXPECT_TRUE(gets_seat(room, plays(5, "1", R"(["fighter","healer"])")));
    EXPECT_FALSE(gets_seat(room, plays(6, "1", R"(["healer"])"))) << "the want is filled";
    EXPECT_TRUE(gets_seat(room, plays(7, "2", "[]")));
    EXPECT_EQ(stage(room), RoomStage::no_newcomers) << "all wants are filled";
    EXPECT_TRUE(gets_seat(room, 1)) << "the player has a seat there";
    wants(room, {});
    EXPECT_EQ(stage(room), RoomStage::no_newcomers) << "as the game has decided";
    decides(room, NewcomersWord::open);
    EXPECT_TRUE(gets_seat(room, 8));
  }
}

TEST_F(RoomNewcomers, who_are_wanted_are_wanted_again_after_they_have_left) {
  capacity = 4;
  const auto room = room_of(Newcomers::always, claims({1}));
  wants(room, {{"", "", 2}});
  EXPECT_TRUE(driver.seats(m2, room, claims({2, 3, 4})).granted ==
              (std::vector<std::uint32_t>{0, 1}));
  driver.batch();
  EXPECT_EQ(driver.masters[m1].rooms, truth_of(driver.host));
  EXPECT_TRUE(driver.admits(room, 3));
  driver.release(m2, room, {}, {2});
  wants(room, {{"", "", 2}});  // repeated
  EXPECT_EQ(driver.host.rooms().at(0).wants, (Wants{{"", "", 1}}));
  EXPECT_TRUE(gets_seat(room, 4));
  EXPECT_FALSE(gets_seat(room, 2));
}

// A game that wants two players says that one is missing when the first has come.
TEST_F(RoomNewcomers, on_their_way_are_not_wanted_once_more) {
  capacity = 8;
  const auto room = room_of(Newcomers::always, claims({1}));
  wants(room, {{"1", "", 1}, {"2", "healer", 2}});
  EXPECT_TRUE(gets_seat(room, plays(2, "2", R"(["healer"])")));
  EXPECT_TRUE(gets_seat(room, plays(3, "2", R"(["healer"])")));
  EXPECT_TRUE(gets_seat(room, plays(4, "1", "[]")));
  EXPECT_TRUE(driver.admits(room, 2));
  wants(room, {{"2", "healer", 1}});
  EXPECT_FALSE(gets_seat(room, plays(5, "2", R"(["healer"])"))) << "player 3 is on its way";
  EXPECT_TRUE(driver.admits(room, 3));
  wants(room, {{"", "", 2}});
  EXPECT_TRUE(gets_seat(room, 6)) << "player 3 has come";
  wants(room, {{"", "", 1}});
  EXPECT_FALSE(gets_seat(room, 7)) << "player 6 is on its way";
}

TEST_F(RoomNewcomers, are_the_wanted_players_after_the_worker_was_killed) {
  auto options = small_options();
  options.keep_records = true;
  capacity = 4;
  begin(options);
  const auto room = room_of(Newcomers::always, claims({1}));
  wants(room, {{"1", "", 2}});
  EXPECT_TRUE(gets_seat(room, plays(2, "1", "[]")));
  driver.batch();
  Driver next{options};
  next.step(Recovered{.memory = memory_of(driver.host.take_records()), .complete = true});
  next.step(MasterConnected{m2});
  EXPECT_EQ(next.host.rooms().at(0).wants, (Wants{{"1", "", 1}}));
  EXPECT_TRUE(next.seats(m2, room, {plays(3, "2", "[]")}).granted.empty());
  EXPECT_FALSE(next.seats(m2, room, {plays(4, "1", "[]")}).granted.empty());
  EXPECT_TRUE(next.seats(m2, room, {plays(5, "1", "[]")}).granted.empty());
}

// --- players that accept no running room ---------------------------------------------------------

TEST_F(RoomNewcomers, without_backfill_get_no_seat_in_a_running_room) {
  const auto asks = [&](RoomNumber room) {
    wire::Claim claim{.player = player(3), .party = {}};
    claim.no_backfill = true;
    return driver.seats(m2, room, {claim}).granted.size();
  };
  const auto gathering = room_of(Newcomers::always, claims({1}));
  EXPECT_EQ(asks(gathering), 1U);
  EXPECT_EQ(asks(gathering), 1U) << "the player has a seat there";
  driver.release(m2, gathering, {}, {3});
  const auto running = duel_with_a_quitter(Newcomers::always);
  EXPECT_EQ(asks(running), 0U);
}

}  // namespace
}  // namespace fixkeep::worker
