// Lives of objects against a simulated engine that loses answers, before or after it has done what
// it was told, is away for a while, shows an end later than it tells it, tells it late or never,
// and whose objects end, and are removed by others.
#include <gtest/gtest.h>

#include <array>

#include "common/base/random.hpp"
#include "worker/runner/container_end.hpp"
#include "worker/runner/engine/object_life.hpp"

namespace fixkeep::worker::engine {
namespace {

constexpr int seeds = 3000;
constexpr int steps = 400;

class World {
 public:
  World(std::uint64_t seed, bool starts_by_itself)
      : random_(seed), starts_by_itself_(starts_by_itself) {
    take(life_.start(now_));
  }

  void run() {
    for (int i = 0; i < steps && !gone_; ++i) fault_or_step();
    faults_ = false;
    if (!gone_) take(life_.kill(now_));
    for (int i = 0; i < steps && !gone_; ++i) step();
    ASSERT_TRUE(ended_) << "it was killed, and the engine answers";
    ASSERT_TRUE(gone_) << "and it is removed";
    EXPECT_FALSE(runs_) << "nothing of it runs";
    // What was made and never started may be left by one that was given up; a sweep finds it.
    EXPECT_FALSE(exists_ && begun_) << "its name is free";
    if (begun_) { EXPECT_NE(end_.kind, GameEnd::Kind::not_started); }
  }

 private:
  bool chance(std::uint32_t percent) { return random_.below(100) < percent; }

  void take(const Step& step) {
    ASSERT_FALSE(ended_ && (step.ended || step.begun)) << "it has ended";
    ASSERT_FALSE(gone_ && step.call) << "it is over";
    if (step.begun) {
      EXPECT_FALSE(begun_) << "it begins once";
      begun_ = true;
    }
    if (step.call) {
      EXPECT_FALSE(asked_) << "one call at a time";
      asked_ = step.call;
    }
    if (step.ended) {
      ended_ = true;
      end_ = *step.ended;
      EXPECT_FALSE(runs_ && !starts_by_itself_) << "its end is told while it runs";
    }
    gone_ = gone_ || step.gone;
  }

  void fault_or_step() {
    if (chance(3) && runs_) game_ends();
    if (chance(3)) tell();
    if (chance(1) && exists_) {
      exists_ = runs_ = false;
      take(life_.missing(now_));
    }
    if (chance(2)) take(life_.ask_to_end(now_));
    if (chance(2)) take(life_.shown({.state = Sight::State::unclear}, now_));
    if (chance(1)) take(life_.kill(now_));
    step();
  }

  void step() {
    if (gone_) return;
    if (starts_by_itself_ && exists_ && !was_started_ && chance(30)) was_started_ = runs_ = true;
    if (asked_) return answer(*std::exchange(asked_, std::nullopt));
    if (life_.timer()) {
      now_ = std::max(now_, life_.timer()->at);
      return take(life_.due(now_));
    }
    // A game that was killed ends at some time.
    if (dying_ && runs_) game_ends();
    tell();
  }

  void tell() {
    if (!exists_) return take(life_.missing(now_));
    take(life_.shown(starts_by_itself_ ? sight() : Sight{.state = Sight::State::unclear}, now_));
  }

  void game_ends() {
    runs_ = false;
    still_shown_ = random_.below(4);
    if (faults_ && !chance(70)) return;
    Sight news{.state = Sight::State::unclear};
    if (chance(50)) news.end = container_end(137);
    take(life_.shown(news, now_));
  }

  void answer(const Call& call) {
    const bool loses = faults_ && chance(25);
    const bool does_it = !loses || chance(50);
    Answer answer = does_it ? carry_out(call) : Answer{};
    const bool may_run = call.ask == Ask::make && !starts_by_itself_;
    if (loses) answer = {.kind = Answer::Kind::lost, .why = "lost", .may_run = may_run};
    take(life_.answered(answer, now_));
  }

  Answer carry_out(const Call& call) {
    switch (call.ask) {
      case Ask::look: return shows(exists_ ? sight() : Sight{});
      case Ask::make: return make();
      case Ask::end:
        if (!exists_) return shows({});
        if (!runs_) return {.kind = Answer::Kind::refused};
        dying_ = call.hard || chance(50);
        return {.kind = Answer::Kind::done};
      case Ask::read_log: return {.kind = Answer::Kind::done};
      case Ask::remove: exists_ = runs_ = false; return shows({});
    }
    return {};
  }

  Answer make() {
    if (life_.sight().state != Sight::State::made) {
      if (exists_) return {.kind = Answer::Kind::lost, .why = "in use"};
      exists_ = true;
      was_started_ = runs_ = dying_ = false;
      return shows(sight());
    }
    if (!exists_) return {.kind = Answer::Kind::lost};
    if (runs_) return {.kind = Answer::Kind::lost, .may_run = true};
    EXPECT_FALSE(was_started_) << "a game that has ended is not started again";
    was_started_ = runs_ = true;
    return shows(sight());
  }

  static Answer shows(const Sight& sight) { return {.kind = Answer::Kind::done, .sight = sight}; }
  Sight sight() {
    using State = Sight::State;
    const bool still_shown = was_started_ && !runs_ && still_shown_ > 0;
    if (still_shown) --still_shown_;
    if (runs_ || still_shown) return {.state = State::running};
    if (was_started_) return {.state = State::ended, .end = container_end(137)};
    return {.state = starts_by_itself_ ? State::waiting : State::made};
  }

  Random random_;
  bool starts_by_itself_;
  TimePoint now_{std::chrono::hours{1}};
  ObjectLife life_{{.name = "c",
                    .node_patience = std::chrono::seconds{20},
                    .start_patience = std::chrono::seconds{20}}};
  std::optional<Call> asked_;
  bool faults_ = true;
  bool exists_ = false;
  bool was_started_ = false;
  bool runs_ = false;
  bool dying_ = false;
  bool begun_ = false;
  bool ended_ = false;
  bool gone_ = false;
  std::uint64_t still_shown_ = 0;  // looks that show it running
  GameEnd end_;
};

void run_all(bool starts_by_itself) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world{seed, starts_by_itself};
    world.run();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomLife, of_what_is_started_ends_once_and_leaves_nothing_whatever_the_engine_loses) {
  run_all(false);
}

TEST(RandomLife, of_what_starts_by_itself_ends_once_and_leaves_nothing_whatever_the_engine_loses) {
  run_all(true);
}

}  // namespace
}  // namespace fixkeep::worker::engine
