// The life of one container: what is asked of the engine next, and what its answers mean for the
// game.
//
//   create, fill with its files, start; it runs; it has ended: read its log, remove it
//
// An engine loses answers, takes an order twice, and is restarted; somebody else may remove the
// container or have its name. So one thing is asked at a time, and after each answer that was lost,
// or that may leave something half done, the engine is asked to show the container by its name
// before anything is tried again. The name is the order's, so the engine itself refuses a second
// container; the labels say whether one that is there is ours.
//
// Invariants: 1. after an answer that was lost the next thing that is asked is a look.
//             2. the end is told as soon as the engine has shown, or said, that nothing of the
//                container runs, or when it was never told to start one. The container is removed
//                after that, and is gone when the engine has said so.
//             3. the engine is told to start a container at most `most_tries` times.
//             4. an end that an event has told, and that a look does not show, is looked for again.
// Fault model: that of the engine: any answer, or none, to anything.
// Thread rule: one owner. Bounds: one question under way; `most_tries` of each kind; what is asked
// of an engine that does not answer is repeated after pauses, `longest_pause` at last: without a
// bound in number once it may run a game, for only the engine knows when that has ended.
// Errors: in the words of GameEnd.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "worker/runner/docker/container.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker::docker {

enum class EngineAsk : std::uint8_t {
  look,
  create,
  fill,
  start,
  signal,  // the one of the launch
  kill,
  read_log,
  remove,
};

struct EngineAnswer {
  unsigned status = 0;  // of HTTP; 0: it was lost
  std::string message;  // what the engine says against it, though it may have done it; or how the
                        // answer was lost
  std::optional<Container> found;  // by a look
  std::string log;
};

// The owner does this next, in this order.
struct LifeStep {
  bool begun = false;  // the game runs
  std::optional<EngineAsk> ask;
  std::optional<std::chrono::milliseconds> ring;  // rang() is to be called after it
  std::optional<GameEnd> ended;                   // nothing of it runs any more
  bool gone = false;                              // nothing is asked any more
};

class ContainerLife {
 public:
  static constexpr int most_tries = 10;
  static constexpr int most_kills = 3;  // then it is removed by force
  static constexpr std::chrono::milliseconds shortest_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{5000};
  // A container that was killed is looked at after so long, if its end is not told before.
  static constexpr std::chrono::milliseconds look_after_kill{2000};
  // An engine that has told an end and still shows the game as running is asked so often.
  static constexpr int most_doubts = 20;

  explicit ContainerLife(Labels labels) : labels_(std::move(labels)) {}

  // One of the two comes first, once. With `is_looked_at` the engine is asked to show the container
  // as soon as it runs, which says which process it is.
  [[nodiscard]] LifeStep start(bool is_looked_at = false);
  // It is one that another run of the worker has begun with.
  [[nodiscard]] LifeStep adopt(bool is_looked_at = false);

  [[nodiscard]] LifeStep ask_to_end();
  [[nodiscard]] LifeStep kill();
  // Something has happened to the container, or may have; `exit_code`: it has ended.
  [[nodiscard]] LifeStep noticed(std::optional<int> exit_code);
  [[nodiscard]] LifeStep answered(EngineAsk asked, const EngineAnswer& answer);
  [[nodiscard]] LifeStep rang();

  [[nodiscard]] bool runs() const { return phase_ == Phase::running; }

 private:
  enum class Phase : std::uint8_t { creating, filling, starting, running, reading, removing, over };

  void looked(const EngineAnswer& answer);
  void found(const Container& container);
  void found_none();
  void created(const EngineAnswer& answer);
  void filled(const EngineAnswer& answer);
  void started(const EngineAnswer& answer);
  void signalled(const EngineAnswer& answer);
  void killed(const EngineAnswer& answer);
  void removed(const EngineAnswer& answer);

  // Looks before anything else, after a pause that grows with the tries.
  void look_again(const std::string& why);
  void look_soon() { must_look_ = true; }
  void enter(Phase phase);
  void doubt_end();
  void not_started(const std::string& why, bool blameless);
  void has_ended(const Container& container);
  void end_with_code(int code, bool out_of_memory);
  [[nodiscard]] bool is_unwanted() const { return wants_signal_ || wants_kill_; }
  [[nodiscard]] LifeStep next();
  [[nodiscard]] LifeStep next_ask();
  [[nodiscard]] std::optional<EngineAsk> wanted();

  Labels labels_;
  Phase phase_ = Phase::creating;
  bool is_mine_ = false;  // start() or adopt() came; before, the name is that of something else
  bool adopted_ = false;
  bool is_looked_at_ = false;
  bool start_asked_ = false;  // it may have run
  bool may_run_ = false;      // the engine has not shown that nothing of it runs
  bool must_look_ = false;
  bool may_be_there_ = false;  // while creating: an answer was lost
  bool wants_signal_ = false;
  bool wants_kill_ = false;
  bool begun_now_ = false;
  std::optional<EngineAsk> under_way_;
  std::optional<std::chrono::milliseconds> pause_;  // is to begin
  bool pausing_ = false;
  std::string refusal_;  // what the engine said last against what it was asked
  int tries_ = 0;        // since the last answer that led further
  int starts_ = 0;
  int signals_ = 0;
  int kills_ = 0;
  bool kill_refused_ = false;     // the last one
  std::optional<int> exit_code_;  // as an event told it
  int doubts_ = 0;                // looks since then that showed it running
  std::optional<GameEnd> end_;    // to be told when nothing of it runs
};

}  // namespace fixkeep::worker::docker
