// Games that outlive the worker that has started them.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "common/process/proc.hpp"
#include "tests/unit/worker/runner/process/runner_fixture.hpp"

namespace fixkeep::worker {
namespace {

struct AdoptedGame : ProcessRunnerTest {
  // What was killed is somebody's to collect.
  ~AdoptedGame() override {
    runner->stop();
    while (::waitpid(-1, nullptr, 0) > 0) continue;
  }
  // A game that says where it is, and goes on without a worker.
  pid_t start_lasting(const std::string& script = "exec sleep 600",
                      std::vector<int> listeners = {}) {
    const auto file = folder / "pid";
    start(1, {.game = {.command = {"/bin/sh", "-c", "echo $$ > " + file.string() + "; " + script}},
              .alone = seconds{60},
              .grace = seconds{1},
              .listeners = std::move(listeners)});
    return wait_for_process(file);
  }
  // The next run of the worker.
  void become_next() {
    runner->leave();
    runner = make_process_runner(context, options());
    ASSERT_EQ(runner->open(), "");
  }
  void adopt() {
    runner->adopt(RoomNumber{1}, {.name = name_of(1)},
                  {.ended = [this](const GameEnd& end) { ends.emplace(1, end); },
                   .wrote = [this](const std::string& text) { wrote += text; }});
    runner->end_others();
  }
};

TEST_F(AdoptedGame, goes_on_and_tells_the_next_worker_how_it_ends) {
  const pid_t game = start_lasting("until [ -e go ]; do sleep 0.01; done; exit 7");
  become_next();
  ASSERT_TRUE(runner->traits().local->listeners_of(name_of(1)));
  adopt();
  EXPECT_TRUE(is_alive(game));
  EXPECT_THAT(runner->traits().processes->of(RoomNumber{1}), testing::Contains(game));
  EXPECT_EQ(runner->running(), 1U);
  const std::ofstream go{std::filesystem::path{runner->traits().local->folder_of(name_of(1))} /
                         "go"};
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "exit code 7");
  EXPECT_FALSE(std::filesystem::exists(runner->traits().local->folder_of(name_of(1))));
}

TEST_F(AdoptedGame, is_asked_to_end_killed_and_followed_like_any_other) {
  start_lasting("trap 'echo asked' TERM; while :; do sleep 0.01; done");
  become_next();
  adopt();
  runner->traits().outputs->follow(RoomNumber{1}, true);
  runner->ask_to_end(RoomNumber{1});
  EXPECT_TRUE(run_until([this] { return wrote.ends_with("asked\n"); })) << wrote;
  runner->kill(RoomNumber{1});
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "signal SIGKILL");
}

TEST_F(AdoptedGame, that_ended_while_no_worker_was_there_has_left_a_record) {
  const pid_t game = start_lasting("until [ -e go ]; do sleep 0.01; done; echo good bye; exit 3");
  const pid_t keeper = only_keeper();
  runner->leave();
  const auto room = folder / "state/rooms" / name_of(1);
  const std::ofstream go{room / "game/go"};
  ASSERT_TRUE(dies_within(game, seconds{10}));
  ASSERT_TRUE(dies_within(keeper, seconds{10}));
  runner = make_process_runner(context, options());
  ASSERT_EQ(runner->open(), "");
  EXPECT_FALSE(runner->traits().local->listeners_of(name_of(1)));
  adopt();
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "exit code 3");
  EXPECT_EQ(ends[1].last_lines, "good bye\n");
}

TEST_F(AdoptedGame, that_nobody_remembers_is_ended) {
  const pid_t game = start_lasting();
  become_next();
  runner->end_others();
  EXPECT_FALSE(is_alive(game)) << "its ports are free when the worker offers them";
  EXPECT_FALSE(std::filesystem::exists(folder / "state/rooms" / name_of(1)));
  EXPECT_TRUE(ends.empty());
}

TEST_F(AdoptedGame, that_was_never_there_ends_at_once) {
  become_next();
  adopt();
  run_until_ended(1);
  EXPECT_EQ(ends[1].kind, GameEnd::Kind::unknown);
  EXPECT_EQ(ends[1].how, "its worker ended before its turn came");
}

TEST_F(AdoptedGame, whose_keeper_was_killed_too_is_found_and_ended) {
  const auto file = folder / "apart";
  start_lasting("FIXKEEP_ROOM_ID=" + name_of(1) + " setsid sh -c 'echo $$ > " + file.string() +
                "; exec sleep 600' & wait");
  const pid_t apart = wait_for_process(file);
  const pid_t keeper = only_keeper();
  runner->leave();
  ::kill(keeper, SIGKILL);
  ASSERT_TRUE(dies_within(keeper, seconds{10}));
  runner = make_process_runner(context, options());
  ASSERT_EQ(runner->open(), "");
  adopt();
  run_until_ended(1);
  EXPECT_EQ(ends[1].kind, GameEnd::Kind::unknown);
  EXPECT_TRUE(dies_within(apart, seconds{5}));
}

TEST_F(AdoptedGame, gives_its_sockets_to_the_next_worker) {
  std::array<int, 2> pipes{};
  ASSERT_EQ(::pipe2(pipes.data(), O_CLOEXEC), 0);
  start_lasting("exec sleep 600", {pipes[1]});
  ::close(pipes[1]);
  become_next();
  auto sockets = runner->traits().local->listeners_of(name_of(1));
  ASSERT_TRUE(sockets);
  ASSERT_EQ(sockets->size(), 1U);
  ASSERT_EQ(::write(sockets->front().get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(pipes[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  ::close(pipes[0]);
  adopt();
}

TEST_F(AdoptedGame, that_nobody_comes_for_ends_when_its_time_is_over) {
  const auto file = folder / "pid";
  start(1,
        {.game = {.command = {"/bin/sh", "-c", "echo $$ > " + file.string() + "; exec sleep 600"}},
         .alone = milliseconds{100},
         .grace = milliseconds{100}});
  const pid_t game = wait_for_process(file);
  const pid_t keeper = only_keeper();
  runner->leave();
  EXPECT_TRUE(dies_within(game, seconds{10}));
  EXPECT_TRUE(dies_within(keeper, seconds{10})) << "it removes the room's folder until then";
}

}  // namespace
}  // namespace fixkeep::worker
