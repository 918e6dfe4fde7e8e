#include "client-sim/judge/judge.hpp"

#include <gtest/gtest.h>

#include "client-sim/load/room_book.hpp"

namespace fixkeep::client_sim {
namespace {

// A run that went as it should, built player by player: rooms of `capacity` seats are filled one
// after the other. Each test then breaks one thing.
Observation perfect(std::size_t players, std::uint32_t capacity) {
  Observation seen;
  seen.capacity = capacity;
  RoomBook book;
  for (std::size_t number = 0; number < players; ++number) {
    const std::string room = "room" + std::to_string(number / capacity);
    book.entered(room, "duel/g0");
    seen.players.push_back({.group = 0,
                            .fate = Fate::connected,
                            .seated = true,
                            .room = room,
                            .group_key = "duel/g0",
                            .reason = {},
                            .answered_ms = static_cast<double>(number + 1)});
  }
  book.load_is_over();
  seen.rooms = book.rooms();
  for (auto& room : seen.rooms) room.capacity = capacity;
  seen.rooms_started = seen.rooms.size();
  RestingView view{.master = "m1", .answered = true};
  for (const auto& room : seen.rooms) {
    view.rooms.push_back({.id = room.id,
                          .group = room.group_key,
                          .phase = Phase::open,
                          .capacity = capacity,
                          .reserved = 0,
                          .occupied = room.inside_at_end});
  }
  seen.while_seated = {view, view};
  for (auto& room : view.rooms) room.occupied = 0;
  seen.after_leaving = {view, view};
  return seen;
}

SeenRoom extra_room(const std::string& id, const std::string& group_key) {
  return {.id = id, .group_key = group_key, .capacity = 8};
}

TEST(Judge, finds_nothing_wrong_with_a_perfect_run) {
  const auto verdict = judge(perfect(20, 8));
  EXPECT_EQ(verdict.rooms, 3U);
  EXPECT_EQ(verdict.ideal_rooms, 3U);
  EXPECT_EQ(verdict.duplicate_rooms, 0U);
  EXPECT_EQ(verdict.seated, 20U);
  EXPECT_EQ(verdict.connected, 20U);
  EXPECT_EQ(verdict.errors, 0U);
  EXPECT_TRUE(verdict.sound());
  EXPECT_EQ(verdict.match_ms, (Percentiles{.p50 = 10, .p90 = 18, .p99 = 20, .max = 20}));
  EXPECT_NEAR(verdict.mean_fill, (1 + 1 + 0.5) / 3, 1e-9);
}

TEST(Judge, counts_a_duplicate_room_that_a_sample_saw) {
  auto seen = perfect(16, 8);
  seen.rooms.push_back(extra_room("twin", "duel/g0"));
  seen.rooms_started = 3;
  EXPECT_EQ(judge(seen).duplicate_rooms, 1U);
}

TEST(Judge, counts_a_room_that_nobody_saw) {
  auto seen = perfect(16, 8);
  seen.rooms_started = 4;
  const auto verdict = judge(seen);
  EXPECT_EQ(verdict.rooms, 4U);
  EXPECT_EQ(verdict.duplicate_rooms, 2U);
}

TEST(Judge, does_not_set_off_one_group_against_another) {
  auto seen = perfect(16, 8);
  // A group of which nobody was answered needs a room and has none; the other has one too many.
  for (int number = 0; number < 3; ++number) {
    seen.players.push_back({.group = 1, .fate = Fate::refused, .reason = "503 no_capacity"});
  }
  seen.rooms.push_back(extra_room("twin", "duel/g0"));
  seen.rooms_started = 3;
  const auto verdict = judge(seen);
  EXPECT_EQ(verdict.ideal_rooms, 3U);
  EXPECT_EQ(verdict.rooms, 3U);
  EXPECT_EQ(verdict.duplicate_rooms, 1U);
  EXPECT_EQ(verdict.refused, 3U);
  EXPECT_EQ(verdict.reasons.at("503 no_capacity"), 3U);
}

TEST(Judge, a_room_of_a_group_without_answers_is_no_duplicate_if_it_is_needed) {
  auto seen = perfect(16, 8);
  seen.players.push_back({.group = 1, .fate = Fate::refused});
  seen.rooms.push_back(extra_room("other", "duel/g1"));
  seen.rooms_started = 3;
  EXPECT_EQ(judge(seen).duplicate_rooms, 0U);
}

TEST(Judge, a_room_that_nobody_saw_is_no_duplicate_if_it_is_needed) {
  auto seen = perfect(16, 8);
  seen.players.push_back({.group = 1, .fate = Fate::lost, .group_key = "duel/g1", .reason = {}});
  seen.rooms_started = 3;
  EXPECT_EQ(judge(seen).duplicate_rooms, 0U);
}

TEST(Judge, expects_use_of_seats_that_were_free_before) {
  auto seen = perfect(16, 8);
  auto before = extra_room("old", "duel/g0");
  before.existed_before = true;
  before.taken_before = 4;
  seen.rooms.push_back(before);
  auto verdict = judge(seen);
  EXPECT_EQ(verdict.ideal_rooms, 2U) << "16 players less 4 free seats still need two rooms";
  EXPECT_EQ(verdict.rooms, 2U);
  seen.players.resize(12);
  verdict = judge(seen);
  EXPECT_EQ(verdict.ideal_rooms, 1U);
  EXPECT_EQ(verdict.duplicate_rooms, 1U);
  // An empty room may have closed before its first player came.
  seen.rooms.back().taken_before = 0;
  EXPECT_EQ(judge(seen).ideal_rooms, 2U);
}

// A second burst, when the players of the first one have left and its rooms have not closed.
TEST(Judge, counts_rooms_that_were_there_and_served) {
  auto seen = perfect(20, 8);
  seen.rooms_started = 0;
  for (auto& room : seen.rooms) room.existed_before = true;
  auto verdict = judge(seen);
  EXPECT_EQ(verdict.rooms, 3U);
  EXPECT_EQ(verdict.ideal_rooms, 3U);
  EXPECT_EQ(verdict.duplicate_rooms, 0U);
  EXPECT_NEAR(verdict.mean_fill, (1 + 1 + 0.5) / 3, 1e-9);
  EXPECT_EQ(verdict.fills.size(), 3U);
  seen.rooms.push_back(extra_room("twin", "duel/g0"));
  seen.rooms_started = 1;
  verdict = judge(seen);
  EXPECT_EQ(verdict.rooms, 4U);
  EXPECT_EQ(verdict.duplicate_rooms, 1U) << "the rooms that were there had seats for all";
  // A room that nobody came to counts for nothing.
  seen.rooms[0].most_inside = 0;
  verdict = judge(seen);
  EXPECT_EQ(verdict.rooms, 3U);
  EXPECT_EQ(verdict.ideal_rooms, 3U);
  EXPECT_EQ(verdict.duplicate_rooms, 0U);
  EXPECT_EQ(verdict.fills.size(), 3U);
  // Seats of others are not free, and count as full.
  seen.rooms[1].taken_before = 6;
  seen.rooms[1].most_inside = 2;
  seen.rooms[1].most_taken = 8;
  EXPECT_NEAR(judge(seen).mean_fill, (1 + 0.5) / 2, 1e-9);
}

TEST(Judge, sees_overbooking_from_players_and_from_masters) {
  auto seen = perfect(16, 8);
  seen.rooms[0].most_inside = 9;
  EXPECT_EQ(judge(seen).overbooked_seats, 1U);
  seen.rooms[0].most_taken = 10;
  seen.rooms[1].most_taken = 9;
  EXPECT_EQ(judge(seen).overbooked_seats, 3U);
  EXPECT_FALSE(judge(seen).sound());
}

// It has come and gone between two samples, so no master told how many seats it has.
TEST(Judge, does_not_judge_the_seats_of_a_room_that_no_sample_saw) {
  auto seen = perfect(16, 8);
  seen.rooms[0].capacity = 0;
  const auto verdict = judge(seen);
  EXPECT_EQ(verdict.overbooked_seats, 0U);
  EXPECT_EQ(verdict.mean_fill, 1);
}

TEST(Judge, counts_games_that_outlived_their_worker) {
  auto seen = perfect(16, 8);
  seen.orphaned_processes = 2;
  EXPECT_EQ(judge(seen).orphaned_processes, 2U);
  EXPECT_FALSE(judge(seen).sound());
}

TEST(Judge, tells_lost_from_refused_from_turned_away) {
  auto seen = perfect(16, 8);
  seen.players[0].fate = Fate::lost;
  seen.players[0].seated = false;
  seen.players[1].fate = Fate::not_let_in;
  seen.players[1].door = Door::turned_away;
  seen.players[2].fate = Fate::refused;
  seen.players[2].seated = false;
  const auto verdict = judge(seen);
  EXPECT_EQ(verdict.lost, 1U);
  EXPECT_EQ(verdict.turned_away, 1U);
  EXPECT_EQ(verdict.refused, 1U);
  EXPECT_EQ(verdict.errors, 3U);
  EXPECT_EQ(verdict.seated, 14U);
  EXPECT_EQ(verdict.connected, 13U);
  EXPECT_FALSE(verdict.sound());
}

TEST(Judge, takes_the_worst_master_for_leaks) {
  auto seen = perfect(16, 8);
  seen.while_seated[1].rooms[0].reserved = 2;
  EXPECT_EQ(judge(seen).leaked_seats, 2U);
  seen.after_leaving[0].rooms[1].occupied = 5;
  EXPECT_EQ(judge(seen).leaked_seats, 5U);
}

TEST(Judge, sees_seats_that_the_masters_forgot) {
  auto seen = perfect(16, 8);
  seen.while_seated[0].rooms[0].occupied = 6;
  EXPECT_EQ(judge(seen).uncounted_seats, 2U);
  seen.while_seated[0].rooms.erase(seen.while_seated[0].rooms.begin());
  EXPECT_EQ(judge(seen).uncounted_seats, 8U);
}

TEST(Judge, does_not_judge_a_master_that_is_silent) {
  auto seen = perfect(16, 8);
  seen.while_seated[0] = {.master = "m1", .answered = false};
  const auto verdict = judge(seen);
  EXPECT_EQ(verdict.masters_silent, 1U);
  EXPECT_EQ(verdict.uncounted_seats, 0U);
}

TEST(Judge, sees_players_of_two_groups_in_one_room) {
  auto seen = perfect(16, 8);
  seen.players[3].group = 1;
  EXPECT_EQ(judge(seen).misplaced, 1U);
}

// A churn: Q is open with `free` of its 8 seats free, R appears a second later.
Observation churn(std::uint32_t free) {
  Observation seen;
  seen.arrival = Arrival::churn;
  seen.capacity = 8;
  seen.rooms = {extra_room("Q", "duel/g0"), extra_room("R", "duel/g0")};
  seen.rooms_started = 2;
  for (int tenth = 0; tenth <= 20; ++tenth) {
    Sample sample{.at_ms = tenth * 100.0};
    sample.sightings.push_back({.room = 0, .phase = Phase::open, .taken = 8 - free});
    if (tenth >= 10) sample.sightings.push_back({.room = 1, .phase = Phase::starting, .taken = 1});
    seen.samples.push_back(std::move(sample));
  }
  return seen;
}

PlayerRecord request(double asked_ms, double answered_ms) {
  return {.group = 0,
          .fate = Fate::connected,
          .seated = true,
          .room = "R",
          .group_key = "duel/g0",
          .reason = {},
          .asked_ms = asked_ms,
          .answered_ms = answered_ms};
}

TEST(JudgeOfChurn, proves_a_duplicate_when_seats_were_free_throughout) {
  auto seen = churn(3);
  seen.players = {request(900, 1200)};
  EXPECT_EQ(judge(seen).duplicate_rooms, 1U);
  seen.players.clear();
  EXPECT_EQ(judge(seen).duplicate_rooms, 1U) << "nobody has asked who could have taken the seats";
}

TEST(JudgeOfChurn, blames_nobody_when_the_seats_may_have_been_taken_in_between) {
  auto seen = churn(3);
  seen.players = {request(700, 750), request(800, 850), request(900, 1200)};
  EXPECT_EQ(judge(seen).duplicate_rooms, 0U) << "three requests may have filled three seats";
}

TEST(JudgeOfChurn, blames_nobody_for_a_room_that_takes_no_players) {
  auto seen = churn(3);
  seen.players = {request(900, 1200)};
  for (auto& sample : seen.samples) sample.sightings[0].phase = Phase::draining;
  EXPECT_EQ(judge(seen).duplicate_rooms, 0U);
}

TEST(JudgeOfChurn, blames_nobody_before_it_has_looked_long_enough) {
  auto seen = churn(3);
  seen.players = {request(900, 1200)};
  seen.samples.erase(seen.samples.begin(), seen.samples.begin() + 6);
  EXPECT_EQ(judge(seen).duplicate_rooms, 0U) << "the room was first seen 400 ms before";
}

TEST(JudgeOfChurn, needs_rooms_for_the_fullest_moment) {
  auto seen = churn(3);
  for (int number = 0; number < 30; ++number) {
    auto player = request(number * 10, number * 10 + 1);
    player.welcome_ms = number * 10 + 2;
    player.left_ms = player.welcome_ms + 100;  // ten are inside at a time: one comes as one leaves
    seen.players.push_back(player);
  }
  EXPECT_EQ(judge(seen).ideal_rooms, 2U);
  for (auto& player : seen.players) player.left_ms = player.welcome_ms + 5;
  EXPECT_EQ(judge(seen).ideal_rooms, 1U);
}

TEST(JudgeOfChurn, blames_nobody_for_another_group) {
  auto seen = churn(3);
  seen.players = {request(900, 1200)};
  seen.rooms[0].group_key = "duel/g1";
  EXPECT_EQ(judge(seen).duplicate_rooms, 0U);
}

TEST(RoomBook, has_each_room_once_with_what_was_there_before_and_what_was_most) {
  RoomBook book;
  RoomRow old{.id = "old", .group = "duel", .phase = Phase::open, .capacity = 8, .occupied = 3};
  book.existed(old);
  old.occupied = 2;
  book.existed(old);  // by a master that knows less
  EXPECT_EQ(book.made(), 0U);
  EXPECT_EQ(book.rooms().at(0).capacity, 8U);
  const RoomRow fresh{.id = "new", .group = "duel", .capacity = 4, .reserved = 1, .occupied = 1};
  const RoomRow gone{.id = "gone", .group = "duel", .phase = Phase::closed};
  book.sampled(5, {old, fresh, gone}, true);
  book.sampled(6, {}, false);
  book.entered("new", "duel");
  book.entered("new", "duel");
  book.left("new");
  book.load_is_over();
  EXPECT_EQ(book.made(), 2U);
  ASSERT_EQ(book.rooms().size(), 3U);
  EXPECT_TRUE(book.rooms()[0].existed_before);
  EXPECT_EQ(book.rooms()[0].taken_before, 3U);
  EXPECT_EQ(book.rooms()[0].most_taken, 2U);
  EXPECT_FALSE(book.rooms()[1].existed_before);
  EXPECT_EQ(book.rooms()[1].capacity, 4U);
  EXPECT_EQ(book.rooms()[1].most_inside, 2U);
  EXPECT_EQ(book.rooms()[1].inside_at_end, 1U);
  ASSERT_EQ(book.samples().size(), 2U);
  const Sample& sample = book.samples()[0];
  EXPECT_EQ(sample.at_ms, 5);
  EXPECT_EQ(sample.rooms, 1U) << "not the one that was there before, nor the one that is closed";
  EXPECT_EQ(sample.starting, 1U);
  EXPECT_EQ(sample.taken, 2U);
  ASSERT_EQ(sample.sightings.size(), 3U);
  EXPECT_EQ(sample.sightings[1].room, 1U);
  EXPECT_TRUE(book.samples()[1].sightings.empty());
}

}  // namespace
}  // namespace fixkeep::client_sim
