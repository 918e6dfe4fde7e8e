// Lives of containers against a simulated engine that loses answers, before or after it has done
// what it was told, is away for a while, shows an end later than it tells it, tells it late or
// never, and whose containers end, and are removed by others.
#include <gtest/gtest.h>

#include <deque>

#include "common/base/random.hpp"
#include "worker/runner/docker/container_life.hpp"

namespace fixkeep::worker::docker {
namespace {

constexpr int seeds = 3000;
constexpr int steps = 400;

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) { take(life_.start()); }

  void run() {
    for (int i = 0; i < steps && !gone_; ++i) fault_or_step();
    faults_ = false;
    if (!gone_) take(life_.kill());
    for (int i = 0; i < steps && !gone_; ++i) step();
    ASSERT_TRUE(ended_) << "it was killed, and the engine answers";
    ASSERT_TRUE(gone_) << "and it is removed";
    EXPECT_LE(starts_, ContainerLife::most_tries);
    EXPECT_FALSE(runs_) << "nothing of it runs";
    // What was created and never started may be left by one that was given up; a sweep finds it.
    EXPECT_FALSE(exists_ && start_told_) << "its name is free";
    if (begun_) { EXPECT_NE(end_.kind, GameEnd::Kind::not_started); }
  }

 private:
  bool chance(std::uint32_t percent) { return random_.below(100) < percent; }

  void take(const LifeStep& step) {
    ASSERT_FALSE(ended_ && (step.ended || step.begun)) << "it has ended";
    ASSERT_FALSE(gone_ && (step.ask || step.ring)) << "it is over";
    if (step.begun) {
      EXPECT_FALSE(begun_) << "it begins once";
      begun_ = true;
    }
    if (step.ask) {
      EXPECT_FALSE(asked_) << "one question at a time";
      asked_ = step.ask;
    }
    if (step.ring) ring_ = true;
    if (step.ended) {
      ended_ = true;
      end_ = *step.ended;
      EXPECT_FALSE(runs_) << "its end is told while it runs";
    }
    gone_ = gone_ || step.gone;
  }

  void fault_or_step() {
    if (chance(3) && runs_) game_ends();
    if (chance(3)) lists();
    if (chance(1) && exists_) {
      exists_ = runs_ = false;
      take(life_.noticed(std::nullopt));
    }
    if (chance(2)) take(life_.ask_to_end());
    if (chance(2)) take(life_.noticed(std::nullopt));
    if (chance(1)) take(life_.kill());
    step();
  }

  void step() {
    if (gone_) return;
    if (asked_) return answer(*std::exchange(asked_, std::nullopt));
    if (ring_) {
      ring_ = false;
      return take(life_.rang());
    }
    // A game that was killed ends at some time.
    if (dying_ && runs_) game_ends();
    lists();
  }

  void lists() {
    if (life_.runs() && !runs_) take(life_.noticed(std::nullopt));
  }

  void game_ends() {
    runs_ = false;
    still_shown_ = random_.below(4);
    if (!faults_ || chance(70)) take(life_.noticed(chance(50) ? std::optional{137} : std::nullopt));
  }

  void answer(EngineAsk ask) {
    const bool loses = faults_ && chance(25);
    const bool does_it = !loses || chance(50);
    EngineAnswer answer = does_it ? carry_out(ask) : EngineAnswer{};
    if (loses)
      answer = {.status = chance(70) ? 0U : 500U, .message = "lost", .found = {}, .log = {}};
    if (ask == EngineAsk::start && answer.status == 500) answer.status = 0;
    take(life_.answered(ask, answer));
  }

  EngineAnswer carry_out(EngineAsk ask) {
    switch (ask) {
      case EngineAsk::look: return look();
      case EngineAsk::create:
        if (exists_) return with(409);
        exists_ = true;
        was_started_ = runs_ = dying_ = false;
        return with(201);
      case EngineAsk::fill: return with(exists_ ? 200 : 404);
      case EngineAsk::start:
        ++starts_;
        if (!exists_) return with(404);
        if (runs_) return with(304);
        EXPECT_FALSE(was_started_) << "a game that has ended is not started again";
        start_told_ = was_started_ = runs_ = true;
        return with(204);
      case EngineAsk::signal:
        if (!exists_) return with(404);
        if (!runs_) return with(409);
        dying_ = chance(50);
        return with(204);
      case EngineAsk::kill:
        if (!exists_) return with(404);
        if (!runs_) return with(409);
        dying_ = true;
        return with(204);
      case EngineAsk::read_log: return with(exists_ ? 200 : 404);
      case EngineAsk::remove:
        if (!exists_) return with(404);
        exists_ = runs_ = false;
        return with(204);
    }
    return {};
  }

  static EngineAnswer with(unsigned status) {
    return {.status = status, .message = "", .found = {}, .log = {}};
  }
  EngineAnswer look() {
    if (!exists_) return with(404);
    EngineAnswer answer = with(200);
    Container container;
    container.labels = labels;
    const bool still_shown = was_started_ && !runs_ && still_shown_ > 0;
    if (still_shown) --still_shown_;
    container.state = runs_ || still_shown ? ContainerState::running
                      : was_started_       ? ContainerState::exited
                                           : ContainerState::created;
    answer.found = container;
    return answer;
  }

  inline static const Labels labels{"c", "w1", "w1-1", "7.m1.0"};
  Random random_;
  ContainerLife life_{labels};
  std::optional<EngineAsk> asked_;
  bool faults_ = true;
  bool exists_ = false;
  bool was_started_ = false;
  bool runs_ = false;
  bool dying_ = false;
  bool start_told_ = false;
  bool ring_ = false;
  bool begun_ = false;
  bool ended_ = false;
  bool gone_ = false;
  std::uint64_t still_shown_ = 0;  // looks that show it running
  int starts_ = 0;
  GameEnd end_;
};

TEST(RandomLife, ends_once_and_leaves_nothing_whatever_the_engine_loses) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world{seed};
    world.run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace fixkeep::worker::docker
