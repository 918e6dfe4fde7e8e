// The games of a worker over a runner that the test speaks for, and that keeps what it is told.
#include "worker/shell/games.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "tests/unit/worker/shell/player.hpp"

namespace fixkeep::worker {
namespace {

using namespace std::chrono_literals;

// A runner whose games are elsewhere, as pods are: the test says what becomes of each.
class ToldRunner final : public GameRunner, public RoomNotes {
 public:
  explicit ToldRunner(std::map<std::string, std::string> noted = {}) : notes_of(std::move(noted)) {
    set_traits({.is_elsewhere = true, .notes = this});
  }

  std::string open() override { return {}; }
  void adopt(RoomNumber, const Launch& with, Handlers told) override {
    launch = with;
    handlers = std::move(told);
  }
  void start(RoomNumber, const Launch& with, Handlers told) override {
    launch = with;
    handlers = std::move(told);
    notes_of[launch.name] = launch.note;
  }
  void end_others() override {}
  void ask_to_end(RoomNumber) override {}
  void kill(RoomNumber) override {}
  [[nodiscard]] std::size_t running() const override { return handlers ? 1 : 0; }
  [[nodiscard]] std::size_t waiting() const override { return 0; }
  [[nodiscard]] std::string problem_of(const std::vector<std::string>&) const override {
    return {};
  }
  void leave() override {}
  void stop() override {}

  void note(RoomNumber, std::string_view text) override { notes_of[launch.name] = text; }
  [[nodiscard]] std::optional<std::string> note_of(const std::string& name) const override {
    const auto found = notes_of.find(name);
    return found == notes_of.end() ? std::nullopt : std::optional{found->second};
  }

  Launch launch;
  std::optional<Handlers> handlers;
  std::map<std::string, std::string> notes_of;
};

Settings settings_of_test() {
  Settings settings;
  settings.core.self = WorkerId{"w1"};
  settings.core.incarnation = Incarnation{77};
  settings.core.modes = {{.name = ModeName{"duel"}}};
  settings.links.cluster = "test";
  settings.games = {{.mode = ModeName{"duel"}, .probes = {.said_ready = true}}};
  return settings;
}

// One run of a worker with one room.
class WorkerRun {
 public:
  explicit WorkerRun(std::map<std::string, std::string> noted = {})
      : runner{std::make_shared<ToldRunner>(std::move(noted))},
        games_{context_, settings_, runner,
               [this](Event&& event) { happened.push_back(std::move(event)); }} {
    node::StartFailure failure;
    EXPECT_TRUE(games_.open(failure)) << failure.what;
  }
  void start() { games_.perform(order); }
  void adopt() { games_.perform(AdoptProcess{.as = order}); }
  void place() { runner->handlers->placed({"127.0.0.1", {{"default", 7000}}}); }
  void begin() { runner->handlers->begun(); }
  // The game tells its SDK, and has the answer.
  void says_ready() {
    auto answer = std::async(std::launch::async, [port = sdk_port()] {
      Player game{port};
      game.say("POST /ready HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
      return game.hear();
    });
    run_until([&] { return answer.wait_for(0s) == std::future_status::ready; });
    EXPECT_EQ(answer.get(), "HTTP/1.1 200 OK\r");
  }
  template <class What>
  [[nodiscard]] std::ptrdiff_t times() const {
    return std::count_if(happened.begin(), happened.end(),
                         [](const Event& event) { return std::holds_alternative<What>(event); });
  }
  [[nodiscard]] bool is_ready() const { return times<ProcessReady>() > 0; }
  void run_until(const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (!done()) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "it does not happen";
      context_.restart();
      context_.run_one_for(20ms);
    }
  }

  const StartProcess order{
      .room = RoomNumber{1}, .group = GroupKey{"duel|eu"}, .mode = ModeName{"duel"}, .capacity = 4};
  std::vector<Event> happened;

  const std::shared_ptr<ToldRunner> runner;

 private:
  [[nodiscard]] std::uint16_t sdk_port() const {
    for (const std::string& variable : runner->launch.game.environment) {
      const auto [name, value] = name_and_value(variable);
      if (name == "AGONES_SDK_HTTP_PORT") {
        return static_cast<std::uint16_t>(std::stoul(std::string{value}));
      }
    }
    ADD_FAILURE() << "the game is not told where its SDK is";
    return 0;
  }

  boost::asio::io_context context_;
  Settings settings_ = settings_of_test();
  Games games_;
};

TEST(Games, a_game_that_is_ready_before_its_place_is_known_is_ready_when_that_comes) {
  WorkerRun run;
  run.start();
  run.begin();
  run.says_ready();
  EXPECT_FALSE(run.is_ready()) << "no player could be sent there";
  run.place();
  run.run_until([&] { return run.is_ready(); });
}

// A node tells that a pod runs up to a second after it does.
TEST(Games, a_game_that_says_that_it_is_ready_has_begun_whatever_its_runner_knows) {
  WorkerRun run;
  run.start();
  run.place();
  run.says_ready();
  run.run_until([&] { return run.is_ready(); });
  EXPECT_GT(run.times<ProcessBegun>(), 0) << "its time to boot counts from then on";
  run.begin();
  EXPECT_EQ(run.times<ProcessReady>(), 1);
}

TEST(Games, a_game_that_says_nothing_is_not_ready_when_its_place_is_known) {
  WorkerRun run;
  run.start();
  run.begin();
  run.place();
  EXPECT_FALSE(run.is_ready());
  run.says_ready();
  run.run_until([&] { return run.is_ready(); });
}

TEST(Games, what_a_game_elsewhere_has_told_its_sdk_is_known_to_the_next_run_of_the_worker) {
  WorkerRun first;
  first.start();
  first.begin();
  const std::string as_started = first.runner->launch.note;
  first.says_ready();
  const auto& notes = first.runner->notes_of;
  first.run_until([&] { return notes.at(first.runner->launch.name) != as_started; });
  WorkerRun next{notes};
  next.adopt();
  EXPECT_FALSE(next.is_ready());
  next.place();
  next.run_until([&] { return next.is_ready(); });
}

}  // namespace
}  // namespace fixkeep::worker
