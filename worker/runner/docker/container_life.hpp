// The life of one container: the next request to the engine and the meaning of its answers for the
// game.
//
//   create, fill with its files, start; it runs; it has ended: read its log, remove it
//
// An engine loses answers, takes an order twice and is restarted. A stranger may remove the
// container or have its name. There is therefore one request at a time. After an answer that was
// lost or may leave something half done, the engine shows the container by its name before the next
// try. The name is the order's: the engine itself refuses a second container. The labels say
// whether an existing one is ours.
//
// Invariants: 1. The request after a lost answer is a look.
//             2. The end is told as soon as the engine has shown or said that no process of the
//                container runs. It is also told if the engine was never told to start one. The
//                container is then removed. It is gone when the engine has said so.
//             3. The engine is told to start a container at most `most_tries` times.
//             4. An end that an event told but a look does not show is looked for again. Fault
//                model: the engine's: any answer or no answer to anything.
// Thread rule: one owner.
// Bounds: one question under way; `most_tries` of each kind. A request to an engine that does not
// answer is repeated after pauses up to `longest_pause`. Once the engine may run a game, their
// number has no bound: only the engine knows when the game has ended. Errors: in the words of
// GameEnd.
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
  signal,  // the launch's signal
  kill,
  read_log,
  remove,
};

struct EngineAnswer {
  unsigned status = 0;  // HTTP status; 0: the answer was lost
  std::string message;  // its objection, though it may have done it; or how the answer was lost
  std::optional<Container> found;  // result of a look
  std::string log;
};

// The next steps of the owner in this order.
struct LifeStep {
  bool begun = false;  // the game runs
  std::optional<EngineAsk> ask;
  std::optional<std::chrono::milliseconds> ring;  // time until rang() is to be called
  std::optional<GameEnd> ended;                   // no process of it runs any more
  bool gone = false;                              // no more requests
};

class ContainerLife {
 public:
  static constexpr int most_tries = 10;
  static constexpr int most_kills = 3;  // limit; then it is removed by force
  static constexpr std::chrono::milliseconds shortest_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{5000};
  // A killed container is looked at after this time if its end is not told before.
  static constexpr std::chrono::milliseconds look_after_kill{2000};
  // Limit of questions to an engine that has told an end but still shows the game as running.
  static constexpr int most_doubts = 20;

  explicit ContainerLife(Labels labels) : labels_(std::move(labels)) {}

  // Either start() or adopt() comes first and once. With `is_looked_at`, a look at the running
  // container shows its process.
  [[nodiscard]] LifeStep start(bool is_looked_at = false);
  // Another run of the worker has begun with it.
  [[nodiscard]] LifeStep adopt(bool is_looked_at = false);

  [[nodiscard]] LifeStep ask_to_end();
  [[nodiscard]] LifeStep kill();
  // A certain or possible change of the container. `exit_code`: it has ended.
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

  // Looks before anything else after a pause that grows with the tries.
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
  bool is_mine_ = false;  // start() or adopt() came; before, the name belongs to another container
  bool adopted_ = false;
  bool is_looked_at_ = false;
  bool start_asked_ = false;  // it may have run
  bool may_run_ = false;      // the engine has not shown that no process runs
  bool must_look_ = false;
  bool may_be_there_ = false;  // while creating: an answer was lost
  bool wants_signal_ = false;
  bool wants_kill_ = false;
  bool begun_now_ = false;
  std::optional<EngineAsk> under_way_;
  std::optional<std::chrono::milliseconds> pause_;  // the pause that is to begin
  bool pausing_ = false;
  std::string refusal_;  // the engine's last objection
  int tries_ = 0;        // tries since the last helpful answer
  int starts_ = 0;
  int signals_ = 0;
  int kills_ = 0;
  bool kill_refused_ = false;     // the last kill was refused
  std::optional<int> exit_code_;  // code from an event
  int doubts_ = 0;                // looks since then that still showed it running
  std::optional<GameEnd> end_;    // told when no process of it runs
};

}  // namespace fixkeep::worker::docker
