// What every runner finds again when its worker has ended, in each step of a game.
#include <poll.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "tests/unit/worker/runner/runner_suite.hpp"

namespace fixkeep::worker {
namespace {

enum class Step : std::uint8_t { ordered, begun, asked };
constexpr std::array<Step, 3> steps{Step::ordered, Step::begun, Step::asked};

class RunnerSuiteSteps : public RunnerSuite {
 protected:
  // It ignores the asking for a while: the worker is to end in between.
  [[nodiscard]] Launch game_of_step(std::uint32_t room) const {
    return game(room, "trap 'sleep 1; exit 0' TERM; while :; do sleep 0.1; done");
  }
  static void go(Worker& worker, const Launch& launch, Step step) {
    worker.start(1, launch);
    if (step == Step::ordered) return;
    if (!worker.begins(1)) throw std::runtime_error{"it does not begin"};
    if (step == Step::asked) worker.ask_to_end(1);
  }
  // A process of its own goes so far, and is killed.
  void go_and_be_killed(const Launch& launch, Step step) const {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        Worker worker{folder.string()};
        worker.call([](GameRunner& each) { each.end_others(); });
        go(worker, launch, step);
        if (::write(pipe[1], "x", 1) == 1) {
          (void)worker.run_until([] { return false; });
        }
      } catch (const std::exception& error) { std::fputs(error.what(), stderr); }
      ::_exit(1);
    }
    ::pollfd ready{.fd = pipe[0], .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&ready, 1, static_cast<int>(milliseconds{patience}.count())), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const int end : pipe) ::close(end);
  }
  // The next run goes on with the game or is told that it has ended, and can end it.
  void expect_found(const Launch& launch) const {
    Worker next{folder.string()};
    next.adopt(1, launch);
    const auto ended = [&] { return next.heard[1].end.has_value(); };
    (void)next.run_until(ended, milliseconds{300});
    EXPECT_FALSE(next.heard[1].begun) << "it had begun before";
    next.kill(1);
    ASSERT_TRUE(next.ends(1));
    expect_gone(next, launch);
  }
};

TEST_P(RunnerSuiteSteps, the_next_run_finds_what_a_worker_has_left) {
  for (const Step step : steps) {
    SCOPED_TRACE(static_cast<int>(step));
    const Launch launch = game_of_step(static_cast<std::uint32_t>(step) + 1);
    {
      Worker worker{folder.string()};
      worker.call([](GameRunner& each) { each.end_others(); });
      go(worker, launch, step);
      worker.left = true;
      worker.call([](GameRunner& each) { each.leave(); });
      EXPECT_FALSE(worker.heard[1].end);
    }
    expect_found(launch);
  }
}

TEST_P(RunnerSuiteSteps, the_next_run_finds_what_a_killed_worker_had) {
  for (const Step step : steps) {
    SCOPED_TRACE(static_cast<int>(step));
    const Launch launch = game_of_step(static_cast<std::uint32_t>(step) + 11);
    go_and_be_killed(launch, step);
    expect_found(launch);
  }
}

TEST_P(RunnerSuiteSteps, the_next_run_ends_what_it_does_not_adopt) {
  for (const Step step : steps) {
    SCOPED_TRACE(static_cast<int>(step));
    const Launch launch = game_of_step(static_cast<std::uint32_t>(step) + 21);
    go_and_be_killed(launch, step);
    Worker next{folder.string()};
    next.call([](GameRunner& each) { each.end_others(); });
    EXPECT_TRUE(next.run_until([&] { return !exists(launch); }));
    EXPECT_EQ(next.runner->running(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, RunnerSuiteSteps, testing::ValuesIn(runner_subjects()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace fixkeep::worker
