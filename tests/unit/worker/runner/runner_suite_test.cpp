// What every runner has to do with a game: the contract of worker/runner/game_runner.hpp.
#include <csignal>
#include <filesystem>

#include "common/process/proc.hpp"
#include "tests/unit/worker/runner/runner_suite.hpp"

namespace fixkeep::worker {
namespace {

class RunnerSuiteOfNames : public RunnerSuite {};  // where somebody else can have a name

std::vector<RunnerSubject> whose_names_others_can_have() {
  auto subjects = runner_subjects();
  std::erase_if(subjects, [](const auto& each) { return !each.occupy; });
  return subjects;
}

TEST_P(RunnerSuite, a_game_that_cannot_be_started_says_why) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  const Launch launch = GetParam().broken(folder.string(), name_of(1));
  worker.start(1, launch);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_FALSE(worker.heard[1].begun);
  EXPECT_EQ(worker.heard[1].end->kind, GameEnd::Kind::not_started);
  EXPECT_NE(worker.heard[1].end->how, "");
  EXPECT_FALSE(worker.heard[1].end->blameless);
  expect_gone(worker, launch);
}

TEST_P(RunnerSuite, a_game_is_placed_begins_is_asked_and_ends) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  const Launch launch = game(1, ": > $OUT/here; exec sleep 600");
  worker.start(1, launch);
  ASSERT_TRUE(worker.begins(1));
  EXPECT_EQ(worker.runner->running(), 1U);
  EXPECT_TRUE(worker.run_until([&] { return exists(launch); }));
  // The first process of a container ignores a SIGTERM that comes before its own handlers are set.
  ASSERT_TRUE(
      worker.run_until([&] { return GetParam().has_made(folder.string(), launch, "here"); }));
  if (GetParam().places) {
    EXPECT_NE(worker.heard[1].place->port(), 0);
    EXPECT_NE(worker.heard[1].place->host, "");
  }
  worker.ask_to_end(1);
  ASSERT_TRUE(worker.ends(1));
  if (GetParam().tells_how) EXPECT_EQ(worker.heard[1].end->kind, GameEnd::Kind::signalled);
  expect_gone(worker, launch);
}

TEST_P(RunnerSuite, a_start_that_takes_long_is_waited_for_or_given_up) {
  const auto make =
      GetParam().slow ? GetParam().slow : [this](const std::string&, const std::string& room) {
        return GetParam().launch(folder.string(), room, lasting);
      };
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  const Launch waited = make(folder.string(), name_of(1));
  const Launch given_up = make(folder.string(), name_of(2));
  worker.start(1, waited);
  worker.start(2, given_up);
  EXPECT_FALSE(worker.heard[1].begun) << "told before anybody could look";
  worker.kill(2);
  ASSERT_TRUE(worker.begins(1));
  ASSERT_TRUE(worker.ends(2));
  EXPECT_TRUE(worker.run_until([&] { return !exists(given_up); }));
  worker.kill(1);
  ASSERT_TRUE(worker.ends(1));
  expect_gone(worker, waited);
}

TEST_P(RunnerSuite, a_game_that_ends_by_itself_is_told_as_it_ended) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  const Launch exits = game(1, "sleep 0.2; exit 3");
  const Launch crashes = game(2, "sleep 0.2; kill -SEGV $$");
  worker.start(1, exits);
  worker.start(2, crashes);
  ASSERT_TRUE(worker.ends(1));
  ASSERT_TRUE(worker.ends(2));
  EXPECT_NE(worker.heard[1].end->how, "");
  if (GetParam().tells_how) {
    EXPECT_EQ(worker.heard[1].end->kind, GameEnd::Kind::exited);
    EXPECT_EQ(worker.heard[1].end->number, 3);
    EXPECT_EQ(worker.heard[2].end->kind, GameEnd::Kind::signalled);
    EXPECT_EQ(worker.heard[2].end->number, SIGSEGV);
  }
  expect_gone(worker, exits);
  expect_gone(worker, crashes);
}

TEST_P(RunnerSuite, a_game_that_ignores_that_it_is_asked_is_killed) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  const Launch launch = game(1, "trap '' TERM; : > $OUT/deaf; while :; do sleep 0.1; done");
  worker.start(1, launch);
  ASSERT_TRUE(worker.begins(1));
  ASSERT_TRUE(
      worker.run_until([&] { return GetParam().has_made(folder.string(), launch, "deaf"); }));
  worker.ask_to_end(1);
  EXPECT_EQ(worker.run_until([&] { return worker.heard[1].end.has_value(); }, milliseconds{300}),
            !GetParam().waits);
  worker.ask_to_end(1);
  worker.kill(1);
  worker.kill(1);
  ASSERT_TRUE(worker.ends(1));
  if (GetParam().tells_how) EXPECT_EQ(worker.heard[1].end->number, SIGKILL);
  expect_gone(worker, launch);
  worker.ask_to_end(1);  // of one that has ended
  worker.kill(1);
}

TEST_P(RunnerSuite, output_without_end_is_bounded) {
  constexpr std::size_t much = 64U << 20U;
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  Launch launch = game(1, "while :; do echo 0123456789012345678901234567890123456789; done");
  launch.follow = true;
  worker.start(1, launch);
  ASSERT_TRUE(worker.begins(1));
  process::reset_peak_memory(::getpid());
  const auto before = process::peak_memory(::getpid());
  EXPECT_FALSE(worker.run_until([&] { return worker.heard[1].end.has_value(); }, seconds{1}));
  EXPECT_LT(process::peak_memory(::getpid()), before + much);
  worker.kill(1);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_LE(worker.heard[1].end->last_lines.size(), 512U);
  expect_gone(worker, launch);
}

TEST_P(RunnerSuite, a_game_that_somebody_else_removed_has_ended) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  const Launch launch = game(1);
  worker.start(1, launch);
  ASSERT_TRUE(worker.begins(1));
  GetParam().remove(folder.string(), launch);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_NE(worker.heard[1].end->how, "");
  expect_gone(worker, launch);
}

TEST_P(RunnerSuiteOfNames, an_object_of_the_name_that_is_not_ours_is_left_alone) {
  const Launch launch = game(1);
  GetParam().occupy(folder.string(), launch);
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  worker.start(1, launch);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_EQ(worker.heard[1].end->kind, GameEnd::Kind::not_started);
  EXPECT_THAT(worker.heard[1].end->how, testing::HasSubstr(launch.object));
  EXPECT_THAT(worker.heard[1].end->how, testing::HasSubstr("not ours"));
  EXPECT_EQ(worker.runner->running(), 0U);
  EXPECT_TRUE(exists(launch)) << "contract 4";
  GetParam().remove(folder.string(), launch);
}

TEST_P(RunnerSuite, many_games_are_started_at_once_and_ended_at_once) {
  constexpr std::uint32_t most = 20;
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  for (std::uint32_t room = 1; room <= most; ++room) worker.start(room, game(room));
  EXPECT_EQ(worker.runner->running(), most);
  for (std::uint32_t room = 1; room <= most; ++room) ASSERT_TRUE(worker.begins(room)) << room;
  EXPECT_EQ(worker.runner->waiting(), 0U);
  for (std::uint32_t room = 1; room <= most; ++room) worker.kill(room);
  for (std::uint32_t room = 1; room <= most; ++room) {
    ASSERT_TRUE(worker.ends(room)) << room;
    EXPECT_TRUE(worker.run_until([&] { return !exists(game(room)); }));
  }
  EXPECT_EQ(worker.runner->running(), 0U);
}

TEST_P(RunnerSuite, a_stop_ends_all_and_tells_nobody) {
  const Launch begun = game(1);
  const Launch fresh = game(2);
  {
    Worker worker{folder.string()};
    worker.call([](GameRunner& each) { each.end_others(); });
    worker.start(1, begun);
    ASSERT_TRUE(worker.begins(1));
    worker.start(2, fresh);
    worker.call([](GameRunner& each) { each.stop(); });
    worker.context.restart();
    worker.context.run_for(milliseconds{100});
    EXPECT_FALSE(worker.heard[1].end);
    EXPECT_FALSE(worker.heard[2].end);
    EXPECT_TRUE(worker.run_until([&] { return !exists(begun) && !exists(fresh); }));
    EXPECT_FALSE(worker.heard[1].end);
    EXPECT_FALSE(worker.heard[2].end);
  }
  Worker next{folder.string()};
  next.adopt(1, begun);
  EXPECT_TRUE(next.ends(1)) << "there is nothing to be found";
}

INSTANTIATE_TEST_SUITE_P(Every, RunnerSuite, testing::ValuesIn(runner_subjects()),
                         [](const auto& each) { return each.param.name; });
INSTANTIATE_TEST_SUITE_P(Every, RunnerSuiteOfNames,
                         testing::ValuesIn(whose_names_others_can_have()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace fixkeep::worker
