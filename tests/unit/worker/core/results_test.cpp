// What a game says about the end of its match counts once, for every master and every run.
#include "worker/core/results.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

RoomHostOptions keeping() {
  RoomHostOptions options = small_options();
  options.keep_records = true;
  options.record_events = true;
  return options;
}

struct RoomResults : testing::Test {
  RoomResults() { driver.step(MasterConnected{m1}); }

  // `stored`: the journal could store what the game said.
  ResultAnswer says(RoomNumber room, const std::string& value, bool stored = true) {
    Actions out = driver.step(ResultSaid{.room = room, .value = value, .question = 7});
    driver.host.results_written(stored, out);
    const auto answers = all<AnswerResult>(out);
    EXPECT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers.at(0).question, 7U);
    return answers.at(0).answer;
  }
  void note() {
    for (const Record& record : driver.host.take_records()) memory.apply(record);
  }
  // The worker is killed, and runs again.
  void next_run() {
    note();
    driver = Driver{keeping()};
    driver.step(Recovered{.memory = memory, .complete = true});
    driver.batch();
    note();
    EXPECT_EQ(memory.results, memory_of(driver.host.snapshot()).results);
  }
  static std::vector<wire::RoomResult> told(const Actions& out, MasterId master) {
    std::vector<wire::RoomResult> results;
    for (const SendToMaster& sent : all<SendToMaster>(out)) {
      const auto* news = std::get_if<wire::RoomsChanged>(&sent.message);
      if (news == nullptr || sent.master != master) continue;
      results.insert(results.end(), news->results.begin(), news->results.end());
    }
    return results;
  }
  std::vector<wire::RoomResult> told_to_newcomer() {
    return told(driver.step(MasterConnected{m2}), m2);
  }

  Driver driver{keeping()};
  Memory memory;
};

TEST_F(RoomResults, are_told_to_every_master_with_their_creation) {
  driver.step(MasterConnected{m2});
  const auto room = driver.open_room();
  EXPECT_EQ(says(room, R"({"winner":"red"})"), ResultAnswer::kept);
  const Actions out = driver.batch();
  const wire::RoomResult expected{
      room, duel, {{driver.token, m1}, 0, {}}, R"({"winner":"red"})", false};
  EXPECT_EQ(told(out, m1), std::vector{expected});
  EXPECT_EQ(told(out, m2), std::vector{expected});
  EXPECT_TRUE(driver.batch().empty());
}

TEST_F(RoomResults, count_once) {
  const auto room = driver.open_room();
  EXPECT_EQ(says(room, "1"), ResultAnswer::kept);
  EXPECT_EQ(says(room, "1"), ResultAnswer::kept);
  EXPECT_EQ(says(room, "2"), ResultAnswer::differs);
  EXPECT_EQ(told(driver.batch(), m1).size(), 1U);
  EXPECT_EQ(says(room, "1"), ResultAnswer::kept);
  EXPECT_TRUE(driver.batch().empty()) << "a repeated call is no news";
  const auto results = told_to_newcomer();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].value, "1");
}

TEST_F(RoomResults, are_answered_and_told_when_they_are_stored) {
  const auto room = driver.open_room();
  EXPECT_TRUE(all<AnswerResult>(driver.step(ResultSaid{room, "1", 1})).empty());
  EXPECT_TRUE(all<AnswerResult>(driver.step(ResultSaid{room, "2", 2})).empty());
  EXPECT_TRUE(all<AnswerResult>(driver.step(ResultSaid{room, "1", 3})).empty());
  EXPECT_TRUE(told(driver.batch(), m1).empty());
  EXPECT_TRUE(told_to_newcomer().empty());
  ASSERT_TRUE(driver.host.has_new_results());
  Actions out;
  driver.host.results_written(true, out);
  EXPECT_FALSE(driver.host.has_new_results());
  std::vector<ResultAnswer> answers;
  for (const AnswerResult& each : all<AnswerResult>(out)) answers.push_back(each.answer);
  EXPECT_EQ(answers, (std::vector{ResultAnswer::kept, ResultAnswer::differs, ResultAnswer::kept}));
  EXPECT_EQ(told(driver.batch(), m1).size(), 1U);
}

TEST_F(RoomResults, that_were_not_stored_are_forgotten) {
  const auto room = driver.open_room();
  EXPECT_EQ(says(room, "1", false), ResultAnswer::not_kept);
  EXPECT_TRUE(told(driver.batch(), m1).empty());
  EXPECT_TRUE(told_to_newcomer().empty());
  EXPECT_EQ(memory_of(driver.host.snapshot()).results.find(room), nullptr);
  EXPECT_EQ(says(room, "2"), ResultAnswer::kept);
  EXPECT_EQ(told(driver.batch(), m1).at(0).value, "2");
}

TEST_F(RoomResults, of_a_game_that_ends_in_the_same_batch_count) {
  const auto room = driver.open_room();
  driver.step(ResultSaid{room, "1", 1});
  EXPECT_EQ(memory_of(driver.host.snapshot()).results.find(room)->value, "1");
  driver.step(ProcessExited{room, "exit code 0"});
  driver.batch();
  Actions out;
  driver.host.results_written(true, out);
  const auto results = told(driver.batch(), m1);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].value, "1");
  EXPECT_TRUE(results[0].room_ended);
}

TEST_F(RoomResults, are_events_of_their_worker_once) {
  const auto room = driver.open_room();
  (void)driver.host.take_events();
  (void)says(room, "1");
  (void)says(room, "1");
  driver.batch();
  std::size_t events = 0;
  for (const auto& event : driver.host.take_events()) {
    events += std::holds_alternative<events::RoomResult>(event) ? 1 : 0;
  }
  EXPECT_EQ(events, 1U);
}

TEST_F(RoomResults, belong_to_rooms_that_have_opened) {
  const auto starting = driver.spawn(m1, ++driver.token).room.number;
  EXPECT_EQ(says(starting, "1"), ResultAnswer::too_early);
  EXPECT_EQ(says(RoomNumber{99}, "1"), ResultAnswer::too_early);
  driver.step(ProcessReady{starting});
  EXPECT_EQ(says(starting, "2"), ResultAnswer::kept) << "a refused value does not count";
}

TEST_F(RoomResults, of_a_warm_room_belong_to_its_players) {
  const auto warm =
      driver.spawn(m1, ++driver.token, 4, {}, wire::warm_pool_of(ModeName{"duel"}, 4)).room.number;
  driver.step(ProcessReady{warm});
  driver.batch();
  EXPECT_EQ(says(warm, "1"), ResultAnswer::too_early);
  EXPECT_EQ(driver.spawn(m1, ++driver.token, 4, {1}).room.number, warm);
  EXPECT_EQ(says(warm, "1"), ResultAnswer::kept);
  EXPECT_EQ(told(driver.batch(), m1).at(0).creation.token.counter, driver.token);
}

TEST_F(RoomResults, are_taken_from_a_game_that_was_asked_to_end) {
  const auto room = driver.open_room();
  driver.step(ShutdownAsked{room});
  driver.batch();
  EXPECT_EQ(says(room, "1"), ResultAnswer::kept);
  EXPECT_TRUE(told(driver.batch(), m1).at(0).room_ended);
}

// --- the end of a match --------------------------------------------------------------------------

struct MatchEnds : RoomResults {
  // Opens the room of a match.
  RoomNumber open_match() {
    wire::Claim claim{player(1), {}};
    claim.match = wire::MatchFacts{.told = duel};
    const Actions out = driver.say(m1, wire::SpawnRoom{.group = match,
                                                       .mode = ModeName{"duel"},
                                                       .creation = {.token = {++driver.token, m1}},
                                                       .capacity = 4,
                                                       .claims = {claim}});
    const auto room = Driver::last<wire::SpawnReply>(out).room.number;
    driver.step(ProcessReady{room});
    driver.batch();
    return room;
  }

  const GroupKey match = wire::match_group_of("final");
};

TEST_F(MatchEnds, is_told_when_the_game_is_gone_and_promised_before) {
  const auto room = open_match();
  EXPECT_FALSE(driver.prepare(m1, ++driver.token, match).match_ended);
  driver.step(ShutdownAsked{room});
  EXPECT_TRUE(told(driver.batch(), m1).empty()) << "the game may still say a result";
  EXPECT_TRUE(driver.prepare(m1, ++driver.token, match).match_ended);
  EXPECT_TRUE(told_to_newcomer().empty());
  driver.step(ProcessExited{room, "exit code 0"});
  const auto ends = told(driver.batch(), m1);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].value, "");
  EXPECT_EQ(ends[0].group, match);
  EXPECT_TRUE(ends[0].room_ended);
  next_run();
  EXPECT_EQ(told_to_newcomer(), ends);
}

TEST_F(MatchEnds, repeats_its_result) {
  const auto room = open_match();
  EXPECT_EQ(says(room, "1"), ResultAnswer::kept);
  EXPECT_FALSE(told(driver.batch(), m1).at(0).room_ended);
  driver.step(ProcessExited{room, "exit code 0"});
  const auto ends = told(driver.batch(), m1);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].value, "1");
  EXPECT_TRUE(ends[0].room_ended);
}

// --- the next run --------------------------------------------------------------------------------

TEST_F(RoomResults, are_in_the_records_of_the_batch_that_answers) {
  const auto room = driver.open_room();
  note();
  (void)says(room, "1");
  driver.batch();
  note();
  ASSERT_NE(memory.results.find(room), nullptr);
  EXPECT_EQ(memory.results.find(room)->value, "1");
}

TEST_F(RoomResults, count_in_the_next_run_too) {
  const auto room = driver.open_room();
  (void)says(room, "1");
  driver.batch();
  next_run();
  EXPECT_EQ(says(room, "2"), ResultAnswer::differs);
  EXPECT_EQ(says(room, "1"), ResultAnswer::kept);
  ASSERT_EQ(told_to_newcomer().size(), 1U);
}

TEST_F(RoomResults, are_told_an_hour_after_the_end_of_their_rooms) {
  const auto room = driver.open_room();
  (void)says(room, "1");
  driver.batch();
  driver.step(ProcessExited{room, "exit code 0"});
  driver.batch();
  next_run();
  ASSERT_EQ(told_to_newcomer().size(), 1U);
  EXPECT_TRUE(told_to_newcomer().at(0).room_ended);
  driver.pass(Results::memory - seconds{1});
  EXPECT_EQ(told_to_newcomer().size(), 1U);
  driver.pass(seconds{2});
  EXPECT_TRUE(told_to_newcomer().empty());
}

TEST_F(RoomResults, are_forgotten_an_hour_after_their_rooms_without_another_run_too) {
  const auto room = driver.open_room();
  (void)says(room, "1");
  driver.batch();
  driver.step(ProcessExited{room, "exit code 0"});
  driver.batch();
  driver.pass(Results::memory + seconds{1});
  EXPECT_TRUE(told_to_newcomer().empty());
}

TEST_F(RoomResults, of_rooms_that_are_not_restored_end_with_the_run) {
  const auto room = driver.open_room();
  (void)says(room, "1");
  driver.batch();
  note();
  memory.apply(RoomGone{room});
  next_run();
  EXPECT_TRUE(memory.results.find(room)->ended.has_value());
}

// --- bounds --------------------------------------------------------------------------------------

TEST(Results, of_running_rooms_stay_whatever_they_are_and_the_oldest_ended_go_first) {
  Results results;
  const std::string large(4096, '1');
  const auto number = [](std::uint32_t i) { return RoomNumber{i}; };
  for (std::uint32_t i = 1; i <= 3'000; ++i) {
    ResultRecord record{number(i), duel, {}, large};
    results.put(record);
    if (i > 1'000) {
      record.ended = TimePoint{seconds{i}};
      results.put(record);
    }
  }
  EXPECT_EQ(results.all().size(), 1'000 + Results::most_bytes / large.size());
  EXPECT_NE(results.find(number(1)), nullptr);
  EXPECT_EQ(results.find(number(1'001)), nullptr);
  EXPECT_NE(results.find(number(3'000)), nullptr);
}

TEST(Results, without_a_value_have_a_bound_too) {
  Results results;
  for (std::uint32_t i = 1; i <= 20'000; ++i) {
    results.put({RoomNumber{i}, duel, {}, {}, TimePoint{seconds{i}}});
  }
  EXPECT_EQ(results.all().size(), Results::most_bytes / 256);
}

TEST_F(RoomResults, of_running_rooms_have_a_bound_too) {
  const auto room = driver.open_room();
  (void)driver.batch();
  note();
  const std::string large(1U << 20U, '1');  // so that few rooms suffice
  for (std::uint32_t i = 0; i < Results::most_live_bytes / large.size(); ++i) {
    memory.apply(RoomRecord{.room = RoomNumber{1'000 + i},
                            .group = duel,
                            .mode = ModeName{"duel"},
                            .place = place_of(RoomNumber{1}),
                            .capacity = 4,
                            .phase = wire::RoomPhase::open,
                            .opened_at = wire::WorkerTime{1}});
    memory.apply(ResultRecord{RoomNumber{1'000 + i}, duel, {}, large});
  }
  next_run();
  EXPECT_EQ(says(room, "1"), ResultAnswer::not_kept);
  driver.step(ProcessExited{RoomNumber{1'000}, "exit code 0"});
  driver.batch();
  EXPECT_EQ(says(room, "1"), ResultAnswer::kept);
}

TEST(Results, many_are_told_in_several_messages) {
  Driver driver{keeping()};
  Memory memory;
  for (std::uint32_t i = 1; i <= 1'000; ++i) {
    memory.apply(ResultRecord{RoomNumber{i}, duel, {}, std::string(4096, '1'), driver.now});
  }
  driver.step(Recovered{.memory = memory, .complete = true});
  const Actions out = driver.step(MasterConnected{m1});
  std::size_t results = 0;
  for (const SendToMaster& sent : all<SendToMaster>(out)) {
    const auto* news = std::get_if<wire::RoomsChanged>(&sent.message);
    if (news == nullptr) continue;
    EXPECT_LE(news->results.size(), 256U);
    results += news->results.size();
  }
  EXPECT_EQ(results, 1'000U);
}

}  // namespace
}  // namespace fixkeep::worker
