// The life of one object of an engine: the container, the pod or the service's room in which the
// game of a room runs.
// A sans-IO machine. It chooses the next call and decides what the engine's answers mean for the
// game. The call `look` requests the object's state.
//
//   phase      the object                        call                       until
//   idle       waits for its turn                none                       start() or adopt()
//   creating   may exist or not                  make                       the engine shows it
//   waiting    exists, but does not run yet      make if the engine needs   its game runs
//                                                a second call to start it
//   running    runs the game                     end, if it is unwanted     its game has ended
//   reading    has ended                         read_log                   the answer
//   removing   is being removed                  remove                     the engine shows none
//   over       is gone                           none
//
// An engine may lose answers, carry out an order late or twice, or be away for an hour. A stranger
// may remove the object or own an object with its name. Therefore only one call at a time is under
// way. After a lost answer, the machine looks the object up by its name before the next call. The
// name belongs to one order, so the engine itself refuses a second object with this name.
//
// There is one timer. Its meaning is one of these:
//
//   timer      the timer is set                               what happens when it expires
//   pause      between two calls that did not help            the next call
//   ended      after the engine accepted a kill or a removal  a look; after `most_looks` looks, a
//                                                             removal by force
//   late       while the object waits for a node or for its   a look; an object that still waits is
//              start on the node                              given up
//
// A pause does not move the deadline of `late`. That deadline begins anew only when an object that
// waited for a node has got a node and now waits for its start on this node.
//
// Invariants: 1. the call after a lost answer is a look.
//             2. the game's end is reported only once: when the engine has shown that no process of
//                the object runs, or when the object is over. The object is removed afterwards.
//             3. a foreign object is never ended or removed.
//             4. if an event reported an end that a look does not show, the machine looks again.
//             5. an object whose game was never started is given up after `most_tries` tries.
//             6. an object whose start was refused is removed first if its game may run.
// Fault model: the engine gives any answer, or no answer, to any call; its news is late, wrong or
// missing. Thread rule: a value, one owner. Bounds: one call under way; pauses up to
// `longest_pause`. As soon as a game may run, the number of calls has no bound: only the engine
// knows when the game has ended. Errors: described in GameEnd::how.
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
  bool hard = false;  // `end`: kill; `remove`: force, without the node's consent
  friend bool operator==(const Call&, const Call&) = default;
};

struct Answer {
  enum class Kind : std::uint8_t {
    done,     // `sight` has the object's state if the answer contained the state
    lost,     // the outcome is unknown; or the engine has a fault
    refused,  // the engine understood the call and will not do it
    busy,     // the engine has not done the call, and may do it later
  };
  Kind kind = Kind::lost;
  std::string why;               // the engine's objection
  bool blameless = false;        // `refused`: the game is not the reason
  bool no_place = false;         // `refused`: the engine would refuse every other object too
  bool may_run = false;          // `make`: the game may have been started
  Duration pause{};              // the least pause that the engine requests
  std::optional<Sight> sight{};  // `look` and `make` only
  std::string log{};             // `read_log` only
};

// A Step lists the owner's next actions, in this order.
struct Step {
  bool placed = false;  // the last sight contains a place
  bool begun = false;   // the game runs
  std::optional<Call> call;
  std::optional<GameEnd> ended;  // no process of the game runs any more
  bool gone = false;             // no more calls will follow
  std::string no_place;          // why the engine accepts no objects now; empty: it accepts objects
};

class ObjectLife {
 public:
  static constexpr int most_tries = 10;
  // Limits the looks at a game that still runs after an event reported its end.
  static constexpr int most_doubts = 20;
  static constexpr Duration shortest_pause = std::chrono::milliseconds{100};

  enum class Meaning : std::uint8_t { pause, ended, late };
  struct Timer {
    TimePoint at;
    Meaning meaning = Meaning::pause;
    friend bool operator==(const Timer&, const Timer&) = default;
  };

  explicit ObjectLife(ObjectTraits traits) : traits_(std::move(traits)) {}

  [[nodiscard]] Step start(TimePoint now);
  // Continues with an object that an earlier run of the worker has made.
  [[nodiscard]] Step adopt(TimePoint now);
  [[nodiscard]] Step ask_to_end(TimePoint now);
  [[nodiscard]] Step kill(TimePoint now);
  // Handles news that no call has requested. If the object is gone (state `none`), `sight` has the
  // end that an event reported last, if any.
  [[nodiscard]] Step shown(const Sight& sight, TimePoint now);
  // Handles a list without the object. The list may be older than the object.
  [[nodiscard]] Step missing(TimePoint now);
  [[nodiscard]] Step answered(const Answer& answer, TimePoint now);
  [[nodiscard]] Step due(TimePoint now);  // REQUIRES: timer() is due

  [[nodiscard]] std::optional<Timer> timer() const;
  [[nodiscard]] bool is_wanted() const { return aim_ == Aim::run; }
  [[nodiscard]] bool runs() const { return phase_ == Phase::running; }
  [[nodiscard]] bool waits_for_a_node() const {
    return phase_ == Phase::waiting && awaits_ == Awaits::node;
  }
  [[nodiscard]] bool is_being_made() const { return call_ && call_->ask == Ask::make; }
  [[nodiscard]] const Sight& sight() const { return sight_; }  // the last sight of our object
  // Appends every field on which decisions depend. A time is written as the time left until then,
  // so all past times are equal.
  void append_bytes(std::string& out, TimePoint now) const;

 private:
  enum class Phase : std::uint8_t { idle, creating, waiting, running, reading, removing, over };
  enum class Aim : std::uint8_t { run, end, kill };
  // The strongest order that the engine has accepted.
  enum class Taken : std::uint8_t { nothing, end, kill, removal, force };
  // Stages of waiting. An earlier stage never follows a later stage, so the wait ends.
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
  std::optional<Timer> timer_;  // only for `pause` or `ended`
  std::optional<TimePoint> late_at_;
  bool adopted_ = false;  // the object was adopted, and no sight has shown that it waits for its
                          // start
  bool must_look_ = false;
  bool may_be_there_ = false;  // while creating: an answer was lost, so the object may exist
  bool is_newer_ = false;      // news arrived while a call was under way
  bool may_run_ = false;       // the engine has not shown that no process runs
  bool started_ = false;       // the game may have run
  bool is_late_ = false;       // the deadline of `late` has passed
  bool told_ = false;          // the game's end was reported
  int tries_ = 0;              // calls since the last helpful answer
  int looks_ = 0;              // looks and failed hard calls, since a kill or a removal
  int doubts_ = 0;
  std::string refusal_;              // the engine's last objection
  std::optional<GameEnd> last_end_;  // the end that an event reported
  std::optional<GameEnd> end_;       // to be reported when no process of the object runs
};

}  // namespace fixkeep::worker::engine
