// What a service that answers late or never costs, with real commands.
#include <gmock/gmock.h>

#include <chrono>
#include <optional>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/runner/runner_subject.hpp"

namespace fixkeep::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

struct HookRunnerTest : testing::Test {
  HookRunnerTest() {
    EXPECT_EQ(runner->open(), "");
    runner->end_others();
  }
  Launch launch() { return subject.launch(folder.string(), "w1-1-1", "exec sleep 600"); }
  // Of a room that never begins.
  GameEnd end_of(const Launch& launch) {
    std::optional<GameEnd> ended;
    runner->start(RoomNumber{1}, launch,
                  {.placed = [](const wire::RoomPlace&) { ADD_FAILURE() << "it is placed"; },
                   .begun = [] { ADD_FAILURE() << "it begins"; },
                   .ended = [&](const GameEnd& end) { ended = end; }});
    const auto until = std::chrono::steady_clock::now() + seconds{60};
    while (!ended && std::chrono::steady_clock::now() < until) {
      context.restart();
      context.run_one_for(milliseconds{20});
    }
    return ended.value_or(GameEnd{.how = "it does not end"});
  }

  const RunnerSubject subject = hook_subject();
  const test::TemporaryFolder folder;
  boost::asio::io_context context{1};
  std::shared_ptr<GameRunner> runner = subject.make(context, folder.string());
};

TEST_F(HookRunnerTest, a_room_whose_start_answers_too_late_is_stopped) {
  Launch late = launch();
  late.game.command = {"/bin/sh", "-c", "\"$@\" && sleep 600", "sh", late.game.command[0], "start",
                       "sleep",   "600"};
  late.command_limit = seconds{2};
  const GameEnd end = end_of(late);
  EXPECT_EQ(end.kind, GameEnd::Kind::not_started);
  EXPECT_THAT(end.how, HasSubstr("took longer than 2000 ms"));
  EXPECT_FALSE(subject.exists(folder.string(), late));
}

TEST_F(HookRunnerTest, no_room_is_started_while_the_list_hangs) {
  Launch blind = launch();
  blind.list_command = {"/bin/sleep", "600"};
  blind.command_limit = milliseconds{300};
  const GameEnd end = end_of(blind);
  EXPECT_EQ(end.kind, GameEnd::Kind::not_started);
  EXPECT_EQ(end.how, "cannot list rooms: it took longer than 300 ms");
  EXPECT_FALSE(subject.exists(folder.string(), blind));
}

TEST_F(HookRunnerTest, a_room_whose_start_answers_and_fails_is_stopped) {
  Launch odd = launch();
  odd.game.command = {"/bin/sh",
                      "-c",
                      "\"$@\"; echo billing is down >&2; exit 7",
                      "sh",
                      odd.game.command[0],
                      "start",
                      "sleep",
                      "600"};
  EXPECT_EQ(end_of(odd).how, "billing is down (exit code 7)");
  EXPECT_FALSE(subject.exists(folder.string(), odd));
}

TEST_F(HookRunnerTest, a_command_that_is_not_there_is_named) {
  Launch wrong = launch();
  wrong.game.command = {"/no/such/hook"};
  EXPECT_THAT(end_of(wrong).how, HasSubstr("/no/such/hook: No such file"));
  wrong.list_command = {};
  EXPECT_EQ(end_of(wrong).how, "its hook lacks a command");
}

}  // namespace
}  // namespace fixkeep::worker
