// A Watch over one game decides when to ask each question and what the answers mean.
//
// Sans-IO: step(event, now, out) returns the actions, in their order. The driver's contract:
//   1. BeginTry: the driver begins a try of the probe with this number, see probe(). The try ends
//      with exactly one Answered or Failed, and never within step().
//   2. AskAgain: the driver sends the try's current question once more. A server that has just
//      begun to listen may lose the first packets.
//   3. GiveUp: the time limit of the try is over. The driver ends the try immediately: with
//      Answered if an unread answer has arrived, otherwise with Failed.
//   4. TimePassed: the driver passes this event to step() at or after next_tick().
// probe_options.hpp explains readiness and liveness.
//
// Invariants: 1. A probe has one try at a time; the number of a try is never reused.
//             2. Ready is returned at most once. After Ready, Unhealthy is returned at most once,
//                as the last action.
//             3. Two questions to one port are at least the largest spacing of the port's probes
//                apart. Two questions of one probe are at least its spacing apart. Probes that
//                share a port take turns. After readiness, the turns are spread over the interval.
//                A probe for liveness and for players has only one try for both purposes.
// Fault model: answers may be late, lost or doubled. An answer without an open try is ignored.
// After a pause of the whole worker, each probe has missed at most one try.
// Thread rule: one owner.
// Bounds: see the plan. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/time.hpp"
#include "worker/probe/core/players.hpp"
#include "worker/probe/core/probe_options.hpp"
#include "worker/probe/core/reasons.hpp"

namespace fixkeep::probe {

struct Try {
  std::size_t probe = 0;
  std::uint64_t number = 0;

  friend auto operator<=>(const Try&, const Try&) = default;
};

// --- events -------------------------------------------------------------------------------------

struct GameStarted {};  // the first event, unless the game was ready before
struct GameFoundReady {};
struct SaidReady {};  // the game itself reports ready, through its SDK
struct LineArrived {
  std::string text;  // without its line end
};
struct Answered {
  Try which;
  std::optional<PlayerCount> players;
};
struct Failed {
  Try which;
  Failure why;
  bool excused = false;  // the machine did not schedule the game, or the worker, for a while
};
struct TimePassed {};
using Event =
    std::variant<GameStarted, GameFoundReady, SaidReady, LineArrived, Answered, Failed, TimePassed>;

// --- actions ------------------------------------------------------------------------------------

struct BeginTry {
  Try which;
};
struct AskAgain {
  Try which;
};
struct GiveUp {
  Try which;
};
struct Ready {};
struct Unhealthy {
  std::string reason;
};
struct Players {  // after each answer, even if unchanged
  PlayerCount count;
};
// Returned after `failures` failed counts in a row. Before it is returned again, a count must
// succeed.
struct PlayersUnknown {
  std::string reason;
};
using Action = std::variant<BeginTry, AskAgain, GiveUp, Ready, Unhealthy, Players, PlayersUnknown>;
using Actions = std::vector<Action>;

class Watch {
 public:
  // REQUIRES: problem_of(plan, ports) is empty.
  Watch(const ProbePlan& plan, Ports ports);

  void step(const Event& event, TimePoint now, Actions& out);
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max(): none

  [[nodiscard]] const Probe& probe(std::size_t number) const { return courses_[number].probe; }
  [[nodiscard]] const Ports& ports() const { return ports_; }
  [[nodiscard]] bool ready() const { return state_ >= State::ready; }

  // A probe that must still succeed before the game is ready, and the result of its last try.
  struct Missing {
    std::size_t probe = 0;
    Failure last;
    std::uint32_t tries = 0;  // ended tries
  };
  [[nodiscard]] std::vector<Missing> missing() const;
  [[nodiscard]] bool waits_for_word() const { return state_ == State::booting && !said_ready_; }

 private:
  enum class State : std::uint8_t { waiting, booting, ready, unhealthy };
  enum class Role : std::uint8_t { readiness, liveness, players };
  enum class Phase : std::uint8_t { waiting, open, given_up, done };

  struct Course {
    Probe probe;
    Role role = Role::readiness;
    bool counts = false;  // also counts players, in the same try as liveness
    Phase phase = Phase::waiting;
    std::optional<std::size_t> port;  // index in ports_asked_
    TimePoint next;                   // time of the next question, in the phases waiting and open
    TimePoint ends;                   // limit of an open try
    std::uint64_t number = 0;         // number of the current or last try
    std::uint32_t failed = 0;         // consecutive failures
    std::uint32_t uncounted = 0;      // consecutive failures of the count
    std::uint32_t excused = 0;        // excused failures
    Failure last;
    bool line_seen = false;  // for liveness: a line has arrived since the last check
  };
  struct PortAsked {
    Protocol protocol = Protocol::tcp;
    Duration spacing{};
    Duration turn = Duration::max();    // the shortest interval; later divided by `turns`
    int turns = 0;                      // number of probes that ask after readiness
    TimePoint free = TimePoint::min();  // earliest time of the next question
  };

  void handle(const GameStarted& event, TimePoint now, Actions& out);
  void handle(const GameFoundReady& event, TimePoint now, Actions& out);
  void handle(const SaidReady& event, TimePoint now, Actions& out);
  void handle(const LineArrived& event, TimePoint now, Actions& out);
  void handle(const Answered& event, TimePoint now, Actions& out);
  void handle(const Failed& event, TimePoint now, Actions& out);
  void handle(const TimePassed& event, TimePoint now, Actions& out);

  void add(const Probe& probe, Role role, std::map<AskedPort, std::size_t>& ports);
  [[nodiscard]] bool active(const Course& course) const;
  [[nodiscard]] bool waits_for_line(const Course& course) const;
  [[nodiscard]] bool asks_again(const Course& course) const;
  [[nodiscard]] TimePoint may_ask(const Course& course) const;
  [[nodiscard]] Try id_of(const Course& course) const;
  [[nodiscard]] Course* open_try(const Try& which);

  void begin_or_look(Course& course, TimePoint now, Actions& out);
  void look_for_line(Course& course, TimePoint now, Actions& out);
  void go_on(Course& course, TimePoint now, Actions& out);
  void asked(Course& course, TimePoint now);
  void succeeded(Course& course, TimePoint now, Actions& out);
  void uncounted(Course& course, const Failure& why, Actions& out) const;
  void failed(Course& course, Failure why, Actions& out, bool excused = false);
  void become_ready_if_complete(TimePoint now, Actions& out);
  void be_ready(TimePoint now);

  Ports ports_;
  std::vector<Course> courses_;
  std::vector<PortAsked> ports_asked_;
  std::uint32_t failures_;
  bool said_ready_;
  State state_ = State::waiting;
  TimePoint started_;
  std::uint64_t last_try_ = 0;
};

}  // namespace fixkeep::probe
