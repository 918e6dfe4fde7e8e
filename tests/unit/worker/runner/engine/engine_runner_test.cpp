// The frame of engines around an engine whose answers and news the test chooses.
#include "worker/runner/engine/engine_runner.hpp"

#include <gmock/gmock.h>

#include <map>

#include "tests/support/temporary_folder.hpp"
#include "worker/runner/container_end.hpp"

namespace fixkeep::worker::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

struct Asked {
  std::string name;
  Call call;
  std::function<void(const Answer& answer)> done;
};

// The test sees this of an engine.
struct Seen {
  Engine::News news;
  std::vector<Asked> asked;
  std::vector<std::string> strays;
  std::vector<std::string> removed;  // by remove_and_wait()
  std::vector<std::string> earlier;
  std::vector<std::string> gone;
  std::vector<std::string> unwanted;
  Engine::Readiness readiness;
  std::string problem;
};

class ChosenEngine final : public Engine {
 public:
  ChosenEngine(boost::asio::io_context& context, Seen& seen) : context_(context), seen_(seen) {}
  [[nodiscard]] Traits traits() override { return {.starts_at_once = 2}; }
  std::string open(News news) override {
    seen_.news = std::move(news);
    return {};
  }
  std::vector<std::string> earlier() override { return seen_.earlier; }
  void close() override { seen_.asked.clear(); }
  Order order(const Launch& launch, GameRunner::Handlers handlers) override {
    return {std::make_shared<Object>(context_, launch, std::move(handlers),
                                     ObjectTraits{.name = launch.object})};
  }
  Order adopt(const Launch& launch, GameRunner::Handlers handlers) override {
    return order(launch, std::move(handlers));
  }
  [[nodiscard]] Readiness readiness(const Object&) const override { return seen_.readiness; }
  void gone(const Object& object) override { seen_.gone.push_back(object.name); }
  void unwanted(const Object& object) override { seen_.unwanted.push_back(object.name); }
  void ask(const ObjectPtr& object, const Call& call,
           std::function<void(const Answer& answer)> done) override {
    seen_.asked.push_back({object->name, call, std::move(done)});
  }
  void stream(const ObjectPtr&, std::function<bool(const std::string& piece)>,
              std::function<void()>) override {}
  void remove_stray(const Shown& object) override { seen_.strays.push_back(object.name); }
  std::size_t remove_and_wait(const std::vector<std::string>& names, bool) override {
    seen_.removed.insert(seen_.removed.end(), names.begin(), names.end());
    return 0;
  }
  [[nodiscard]] std::string problem() const override { return seen_.problem; }

 private:
  boost::asio::io_context& context_;
  Seen& seen_;
};

class EngineRunnerTest : public ::testing::Test {
 protected:
  EngineRunnerTest() {
    RunnerOptions options;
    options.state_folder = folder_.string();
    runner_ = make_engine_runner(io_, options, std::make_unique<ChosenEngine>(io_, seen_));
    EXPECT_EQ(runner_->open(), "");
  }

  void start(std::uint32_t number, Launch launch = {}) {
    runner_->start(RoomNumber{number}, named(number, std::move(launch)), handlers(number));
  }
  static Launch named(std::uint32_t number, Launch launch) {
    launch.name = "room-" + std::to_string(number);
    launch.object = "o" + std::to_string(number);
    return launch;
  }
  GameRunner::Handlers handlers(std::uint32_t number) {
    return {.begun = [this, number] { begun_.push_back(number); },
            .ended = [this, number](const GameEnd& end) { ended_[number] = end.how; }};
  }
  // Answers the oldest call, which has to be this one.
  void answer(const std::string& name, Ask ask, const Answer& answer) {
    ASSERT_FALSE(seen_.asked.empty());
    const Asked first = seen_.asked.front();
    seen_.asked.erase(seen_.asked.begin());
    ASSERT_EQ(first.name, name);
    ASSERT_EQ(first.call.ask, ask);
    first.done(answer);
    io_.restart();
    io_.poll();
  }
  static Answer shows(Sight::State state) {
    Sight sight{.state = state};
    if (state == Sight::State::ended) sight.end = container_end(0);
    return {.kind = Answer::Kind::done, .sight = sight};
  }
  void run(std::uint32_t number, const std::string& name, Launch launch = {}) {
    start(number, std::move(launch));
    answer(name, Ask::make, shows(Sight::State::running));
  }

  test::TemporaryFolder folder_;
  boost::asio::io_context io_;
  Seen seen_;
  std::shared_ptr<GameRunner> runner_;
  std::vector<std::uint32_t> begun_;
  std::map<std::uint32_t, std::string> ended_;
};

TEST_F(EngineRunnerTest, removes_what_it_does_not_know_whenever_it_appears) {
  run(1, "o1");
  seen_.news.shown({"stray", {.state = Sight::State::running}});
  EXPECT_THAT(seen_.strays, IsEmpty()) << "it may be of a room that is adopted later";
  runner_->end_others();
  seen_.news.shown({"stray", {.state = Sight::State::running}});
  seen_.news.appeared({"late", {.state = Sight::State::made}});
  seen_.news.appeared({"o1", {.state = Sight::State::running}});
  seen_.news.ended({"gone", {.state = Sight::State::unclear}});
  seen_.news.shown({"gone", {.state = Sight::State::none}});
  EXPECT_THAT(seen_.strays, ElementsAre("stray", "late"));
}

TEST_F(EngineRunnerTest, holds_an_object_until_the_engine_shows_that_it_is_gone) {
  run(1, "o1");
  runner_->end_others();
  seen_.news.shown({"o1", {.state = Sight::State::ended, .end = container_end(0)}});
  answer("o1", Ask::read_log, {.kind = Answer::Kind::done});
  EXPECT_TRUE(ended_.contains(1));
  seen_.news.shown({"o1", {.state = Sight::State::ended, .end = container_end(0)}});
  EXPECT_THAT(seen_.strays, IsEmpty()) << "it is being removed";
  EXPECT_THAT(seen_.gone, IsEmpty());
  answer("o1", Ask::remove, shows(Sight::State::none));
  EXPECT_THAT(seen_.gone, ElementsAre("o1"));
}

TEST_F(EngineRunnerTest, leaves_games_that_go_on_alone_and_removes_the_others) {
  Launch alone;
  alone.alone = 60s;
  run(1, "o1", alone);
  run(2, "o2");
  runner_->leave();
  EXPECT_THAT(seen_.removed, ElementsAre("o2"));
}

TEST_F(EngineRunnerTest, removes_all_that_it_has_when_it_stops) {
  Launch alone;
  alone.alone = 60s;
  run(1, "o1", alone);
  run(2, "o2");
  runner_->stop();
  EXPECT_THAT(seen_.removed, UnorderedElementsAre("o1", "o2"));
  EXPECT_THAT(ended_, IsEmpty()) << "no handler is called any more";
}

TEST_F(EngineRunnerTest, ends_objects_of_earlier_runs_that_it_has_not_adopted) {
  seen_.earlier = {"o1", "o2"};
  runner_->adopt(RoomNumber{1}, named(1, {}), handlers(1));
  runner_->end_others();
  EXPECT_THAT(seen_.removed, ElementsAre("o2"));
}

TEST_F(EngineRunnerTest, keeps_the_last_output_of_an_adopted_game) {
  runner_->adopt(RoomNumber{1}, named(1, {}), handlers(1));
  answer("o1", Ask::look, shows(Sight::State::ended));
  answer("o1", Ask::read_log, {.kind = Answer::Kind::done, .log = "last words"});
  EXPECT_THAT(begun_, IsEmpty()) << "an earlier run has begun it";
  EXPECT_EQ(runner_->traits().outputs->output_of("room-1", 100), "last words");
}

TEST_F(EngineRunnerTest, starts_as_many_at_a_time_as_the_engine_bears) {
  for (const std::uint32_t number : {1U, 2U, 3U}) start(number);
  EXPECT_EQ(seen_.asked.size(), 2U);
  EXPECT_EQ(runner_->waiting(), 1U);
  answer("o1", Ask::make, shows(Sight::State::running));
  EXPECT_EQ(seen_.asked.size(), 2U);
  EXPECT_EQ(runner_->waiting(), 0U);
}

TEST_F(EngineRunnerTest, waits_for_what_an_object_needs) {
  seen_.readiness.is_coming = true;
  start(1);
  EXPECT_THAT(seen_.asked, IsEmpty());
  EXPECT_EQ(runner_->waiting(), 1U);
  seen_.readiness = {.problem = "there is no image x"};
  seen_.news.changed();
  io_.restart();
  io_.poll();
  EXPECT_EQ(ended_[1], "there is no image x");
  EXPECT_THAT(seen_.gone, ElementsAre("o1"));
}

TEST_F(EngineRunnerTest, a_game_that_is_not_wanted_before_its_turn_asks_the_engine_nothing) {
  for (const std::uint32_t number : {1U, 2U, 3U}) start(number);
  runner_->kill(RoomNumber{3});
  EXPECT_THAT(ended_, IsEmpty()) << "no handler is called within a call";
  io_.restart();
  io_.poll();
  EXPECT_EQ(ended_[3], "it was not wanted any more before it ran");
  EXPECT_EQ(seen_.asked.size(), 2U);
}

TEST_F(EngineRunnerTest, tells_the_engine_that_a_game_is_unwanted_while_a_call_is_under_way) {
  for (const std::uint32_t number : {1U, 2U, 3U}) start(number);
  runner_->ask_to_end(RoomNumber{1});
  runner_->kill(RoomNumber{2});
  runner_->kill(RoomNumber{3});
  EXPECT_THAT(seen_.unwanted, ElementsAre("o1", "o2")) << "the third has no object";
  EXPECT_EQ(seen_.asked.size(), 2U);
}

TEST_F(EngineRunnerTest, has_no_places_while_the_engine_takes_no_objects) {
  EXPECT_EQ(runner_->places(), std::nullopt);
  start(1);
  answer("o1", Ask::make,
         {.kind = Answer::Kind::refused, .why = "quota", .blameless = true, .no_place = true});
  EXPECT_EQ(runner_->places(), 0U);
  EXPECT_EQ(runner_->why_no_places(), "quota");
}

TEST_F(EngineRunnerTest, has_no_places_while_the_engine_is_away_or_no_node_has_room) {
  seen_.problem = "it does not answer";
  EXPECT_EQ(runner_->places(), 0U);
  EXPECT_EQ(runner_->why_no_places(), "it does not answer");
  seen_.problem.clear();
  start(1);
  Answer waits = shows(Sight::State::waiting);
  waits.sight->no_node = true;
  waits.sight->why = "no cpu";
  answer("o1", Ask::make, waits);
  EXPECT_EQ(runner_->places(), 0U);
  EXPECT_EQ(runner_->why_no_places(), "no node has room for a container: no cpu");
}

}  // namespace
}  // namespace fixkeep::worker::engine
