// The fixture of the suite that every runner passes: a worker as far as a runner sees one.
//
// It holds each runner to the order in which a game's handlers are called (the contract of
// worker/runner/game_runner.hpp). Thread rule: one thread. Bounds: `patience` for what has to come.
// Errors: failures of the test.
#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/runner/runner_subject.hpp"

namespace fixkeep::worker {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr seconds patience{60};
inline constexpr auto lasting = "exec sleep 600";

// It holds what a runner told of a room, and that it told it in the right order.
struct Heard {
  std::optional<wire::RoomPlace> place;
  bool begun = false;
  std::optional<GameEnd> end;
  std::size_t wrote = 0;
};

class RunnerSuite : public testing::TestWithParam<RunnerSubject> {
 protected:
  // A worker as far as a runner sees one.
  struct Worker {
    explicit Worker(const std::string& folder) : runner{GetParam().make(context, folder)} {
      if (const auto refused = runner->open(); !refused.empty()) throw std::runtime_error{refused};
    }
    ~Worker() {
      if (!left) runner->stop();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    GameRunner::Handlers handlers(std::uint32_t room) {
      Heard& game = heard[room];
      return {.placed =
                  [&game](const wire::RoomPlace& place) {
                    EXPECT_FALSE(game.place || game.begun || game.end);
                    game.place = place;
                  },
              .begun =
                  [&game] {
                    EXPECT_FALSE(game.begun || game.end);
                    if (GetParam().places) EXPECT_TRUE(game.place);
                    game.begun = true;
                  },
              .ended =
                  [this, &game](const GameEnd& end) {
                    EXPECT_FALSE(game.end) << "told twice";
                    EXPECT_FALSE(inside) << "told from within a call";
                    game.end = end;
                  },
              .wrote = [&game](const std::string& text) { game.wrote += text.size(); }};
    }
    template <class Call>
    void call(Call what) {
      inside = true;
      what(*runner);
      inside = false;
    }
    void start(std::uint32_t room, const Launch& launch) {
      call([&](GameRunner& each) { each.start(RoomNumber{room}, launch, handlers(room)); });
    }
    void adopt(std::uint32_t room, const Launch& launch) {
      call([&](GameRunner& each) { each.adopt(RoomNumber{room}, launch, handlers(room)); });
      call([](GameRunner& each) { each.end_others(); });
    }
    void kill(std::uint32_t room) {
      call([&](GameRunner& each) { each.kill(RoomNumber{room}); });
    }
    void ask_to_end(std::uint32_t room) {
      call([&](GameRunner& each) { each.ask_to_end(RoomNumber{room}); });
    }
    template <class Done>
    [[nodiscard]] bool run_until(Done done, milliseconds limit = patience) {
      const auto until = std::chrono::steady_clock::now() + limit;
      // What was seen once counts: a program that is being executed has no environment to see.
      bool seen = done();
      while (!seen && std::chrono::steady_clock::now() < until) {
        context.restart();
        context.run_one_for(milliseconds{20});
        seen = done();
      }
      return seen;
    }
    [[nodiscard]] bool begins(std::uint32_t room) {
      return run_until([&] { return heard[room].begun || heard[room].end; }) && heard[room].begun;
    }
    [[nodiscard]] bool ends(std::uint32_t room) {
      return run_until([&] { return heard[room].end.has_value(); });
    }

    boost::asio::io_context context{1};
    std::shared_ptr<GameRunner> runner;
    std::map<std::uint32_t, Heard> heard;
    bool inside = false;
    bool left = false;
  };

  [[nodiscard]] static std::string name_of(std::uint32_t room) {
    return "w1-" + std::to_string(::getpid()) + "-" + std::to_string(room);
  }
  [[nodiscard]] Launch game(std::uint32_t room, const std::string& script = lasting) const {
    return GetParam().launch(folder.string(), name_of(room), script);
  }
  [[nodiscard]] bool exists(const Launch& launch) const {
    return GetParam().exists(folder.string(), launch);
  }
  // Nothing waits or runs, and nothing of the game is left.
  void expect_gone(Worker& worker, const Launch& launch) const {
    EXPECT_EQ(worker.runner->running(), 0U);
    EXPECT_EQ(worker.runner->waiting(), 0U);
    EXPECT_TRUE(worker.run_until([&] { return !exists(launch); })) << "contract 2";
  }

  test::TemporaryFolder folder;
};

}  // namespace fixkeep::worker
