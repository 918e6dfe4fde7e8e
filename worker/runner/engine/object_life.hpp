// The life of one object of an engine: the container, pod or unit in which the game of a room runs.
// A sans-IO machine. It chooses the next call, and says what the engine's answers mean for the
// game.
//
//   phase      the object                        call                       until
//   idle       waits for its turn                none                       start() or adopt()
//   creating   may be there, or not              make                       the engine shows it
//   waiting    is there, and does not run yet    make, if it has to be      its game runs
//                                                started
//   running    runs the game                     end, if it is unwanted     its game has ended
//   reading    has ended                         read_log                   the answer
//   removing   is removed                        remove                     the engine shows none
//   over       is gone                           none
//
// An engine loses answers, carries an order out late or twice, and is away for an hour. A stranger
// may remove the object, or have its name. So there is one call at a time. After a lost answer the
// engine shows the object by its name before the next call. The name is the order's, so the engine
// itself refuses a second object.
//
// There is one timer, which has a meaning:
//
//   timer      the object has it                              what happens at its end
//   pause      between two calls that did not help            the next call
//   ended      after an order to end or to go was taken       a look; after `most_looks` by force
//   late       while it waits for a node, or for its start    a look; if it still waits, it is
//              there                                          given up
//
// The deadline of `late` stays when a pause comes in between. It begins anew only when the object
// gets from waiting for a node to waiting for its start.
//
// Invariants: 1. the call after a lost answer is a look.
//             2. the end is told once: as soon as the engine has shown that no process of the
//                object runs, or when the object is over. The object is removed after that.
//             3. a foreign object is neither ended nor removed.
//             4. an end that an event told, but a look does not show, is looked for again.
//             5. an object whose game was never started is given up after `most_tries`.
// Fault model: the engine's: any answer, or none, to anything; news that are late, wrong or
// missing. Thread rule: a value, one owner. Bounds: one call under way; pauses up to
// `longest_pause`. Once a game may run the number of calls has no bound, for only the engine knows
// when it has ended. Errors: in the words of GameEnd.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/time.hpp"
#include "worker/runner/engine/sight.hpp"

namespace fixkeep::worker::engine {

enum class Ask : std::uint8_t { look, make, end, read_log, remove };

struct Call {
  Ask ask = Ask::look;
  bool hard = false;  // of end: kill; of remove: by force, without asking a node
  friend bool operator==(const Call&, const Call&) = default;
};

struct Answer {
  enum class Kind : std::uint8_t {
    done,     // `sight` has the object's state, if the answer told it
    lost,     // nobody knows; or the engine is in trouble
    refused,  // the engine has understood, and does not do it
    busy,     // the engine has not done it, and may later
  };
  Kind kind = Kind::lost;
  std::string why;               // the engine's objection
  bool blameless = false;        // of refused: the game is not the reason
  bool no_place = false;         // of refused: no other object would fare better
  bool may_run = false;          // of make: the game may have been started
  Duration pause{};              // the engine asks for so much
  std::optional<Sight> sight{};  // of look and make
  std::string log{};             // of read_log
};

// A Step says what the owner does next, in this order.
struct Step {
  bool placed = false;  // the last sight has a place
  bool begun = false;   // the game runs
  std::optional<Call> call;
  std::optional<GameEnd> ended;  // no process of it runs any more
  bool gone = false;             // no more calls
  std::string no_place;          // why the engine takes no objects now; empty: it does
};

class ObjectLife {
 public:
  static constexpr int most_tries = 10;
  static constexpr int most_doubts = 20;  // looks at a game that runs on after its end was told
  static constexpr Duration shortest_pause = std::chrono::milliseconds{100};
  static constexpr Duration longest_pause = std::chrono::seconds{5};

  enum class Meaning : std::uint8_t { pause, ended, late };
  struct Timer {
    TimePoint at;
    Meaning meaning = Meaning::pause;
    friend bool operator==(const Timer&, const Timer&) = default;
  };

  explicit ObjectLife(ObjectTraits traits) : traits_(std::move(traits)) {}

  [[nodiscard]] Step start(TimePoint now);
  [[nodiscard]] Step adopt(TimePoint now);  // another run of the worker has begun with it
  [[nodiscard]] Step ask_to_end(TimePoint now);
  [[nodiscard]] Step kill(TimePoint now);
  // News that nobody asked for. A sight of nothing comes with the last end that was seen, if any.
  [[nodiscard]] Step shown(const Sight& sight, TimePoint now);
  // A list, which may be older than the object, does not have it.
  [[nodiscard]] Step missing(TimePoint now);
  [[nodiscard]] Step answered(const Answer& answer, TimePoint now);
  [[nodiscard]] Step due(TimePoint now);  // REQUIRES: timer() is due

  [[nodiscard]] std::optional<Timer> timer() const;
  [[nodiscard]] bool runs() const { return phase_ == Phase::running; }
  [[nodiscard]] bool waits_for_a_node() const {
    return phase_ == Phase::waiting && awaits_ == Awaits::node;
  }
  [[nodiscard]] bool is_being_made() const { return call_ && call_->ask == Ask::make; }
  [[nodiscard]] const Sight& sight() const { return sight_; }  // the last one of our object
  // Every field that decides; a time as the rest of it, since all times in the past are the same.
  void append_bytes(std::string& out, TimePoint now) const;

 private:
  enum class Phase : std::uint8_t { idle, creating, waiting, running, reading, removing, over };
  enum class Aim : std::uint8_t { run, end, kill };
  // The strongest order that the engine has taken.
  enum class Taken : std::uint8_t { nothing, end, kill, removal, force };
  // Stages of waiting. They only go forward, so the wait has an end.
  enum class Awaits : std::uint8_t { nothing, start, node, start_there };

  void looked(const Answer& answer, TimePoint now, Step& out);
  void made(const Answer& answer, TimePoint now, Step& out);
  void ordered(const Call& call, const Answer& answer, TimePoint now);
  void see(const Sight& sight, TimePoint now, Step& out);
  void wait_on(TimePoint now, Step& out);
  void vanish();
  [[nodiscard]] GameEnd unseen() const;
  [[nodiscard]] bool is_foreign(const Sight& sight) const {
    return sight.owner && *sight.owner != traits_.owner;
  }
  void enter(Phase phase);
  void look_again(const std::string& why, Duration at_least, TimePoint now);
  void doubt_end(TimePoint now);
  void give_up(const std::string& why, bool blameless);
  [[nodiscard]] bool is_bounded() const;
  [[nodiscard]] bool is_there() const { return phase_ != Phase::creating || may_be_there_; }
  [[nodiscard]] bool has_to_be_made() const;
  [[nodiscard]] Taken needed() const;
  [[nodiscard]] std::optional<Call> wanted() const;
  [[nodiscard]] Step go_on(TimePoint now, Step out);
  void choose_call(TimePoint now);

  ObjectTraits traits_;
  Phase phase_ = Phase::idle;
  Aim aim_ = Aim::run;
  Taken taken_ = Taken::nothing;
  Awaits awaits_ = Awaits::nothing;
  Sight sight_;
  std::optional<Call> call_;    // under way
  std::optional<Timer> timer_;  // pause or ended
  std::optional<TimePoint> late_at_;
  bool adopted_ = false;  // and not seen since to wait for its start
  bool must_look_ = false;
  bool may_be_there_ = false;  // while creating: an answer was lost
  bool is_newer_ = false;      // news have come while an answer was on its way
  bool may_run_ = false;       // the engine has not shown that no process runs
  bool started_ = false;       // its game may have run
  bool is_late_ = false;       // the wait of `late` is over
  bool told_ = false;          // its end
  int tries_ = 0;              // since the last helpful answer
  int looks_ = 0;              // since it was told to end
  int doubts_ = 0;
  std::string refusal_;              // the engine's last objection
  std::optional<GameEnd> last_end_;  // as an event told it
  std::optional<GameEnd> end_;       // to be told when no process of it runs
};

}  // namespace fixkeep::worker::engine
