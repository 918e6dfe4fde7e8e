// A RoomLife is the life of one room from its order to the end of its process: a sans-IO machine.
//
//   phase      what the room does                  until                            and then
//   starting   its process waits for its turn,     Ready, if its place is known     open
//              and boots
//   open       takes players                       Drained                          draining
//   draining   takes no new players                it is empty, or time is over     closed
//   closed     its process ends                    Exited                           gone
//
// Every phase leads to closed. The one timer has one of these meanings:
//
//   timer      the room has it                             what happens when it is due
//   boot       while it boots and is wanted                timer hearing: messages are read
//   hearing    after boot                                  the boot failed: it is killed. If it had
//                                                          to wait for a processor: timer boot
//   unwanted   while it starts and is not wanted           it closes
//   empty      while it is open and not wanted             it closes, if it is empty
//   looking    after empty, if only Look shows whether     it closes, if it is empty
//              players are in it
//   drain      while it is drained for a limited time      it closes
//   grace      after it was asked to end                   it is killed
//
// The driver passes each event to step(), performs the outputs in order, and passes Due when the
// timer is due. The driver may answer Look with Seen or leave Look unanswered.
//
// Fault model: the runner sends any events in any order, or none.
//
// Invariants: 1. The room opens at most once, and only after its place was reported.
//             2. The room closes once, for one reason, and never opens again.
//             3. A room that is not closed is wanted or has a timer. A booting room always has a
//                timer. It boots at most for its boot time plus twice the hearing time. Time for
//                which it waits for a processor does not count.
//             4. The process is asked to end at most once, is killed at most once, and ends only
//                once. All this happens only after the room is closed.
//             5. The process is killed without grace only if it boots too long or sends no sign of
//                life. Before the kill, its waiting messages were read.
//             6. A closed room has the timer grace, was killed, or has lost its process.
// Thread rule: a value, one owner. Bounds: a few numbers. Errors: none; events of other phases are
// ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "worker/core/room_life_events.hpp"

namespace fixkeep::worker {

struct LifeRules {
  Duration boot_timeout{};       // time between Begun and Ready
  Duration stop_grace{};         // time between Signal and Kill
  Duration hears_first{};        // time to read messages that wait in sockets
  Duration close_empty_after{};  // limit for an open room without players
  Duration unwanted_after{};     // limit for a starting room, or a room that no player has entered
  bool looks_if_empty = false;   // only Look shows whether players are in the room
  friend bool operator==(const LifeRules&, const LifeRules&) = default;
};

class RoomLife {
 public:
  enum class Process : std::uint8_t {
    running,    // ordered: waits for its turn, boots or serves
    signalled,  // asked to end, within its grace
    killed,     // killed, has not ended yet
    gone,       // has ended
  };
  enum class Meaning : std::uint8_t { boot, hearing, unwanted, empty, looking, drain, grace };
  struct Timer {
    TimePoint at;
    Meaning meaning = Meaning::boot;
    friend bool operator==(const Timer&, const Timer&) = default;
  };

  // Begins the life of a new room. `queued`: its process waits for its turn; otherwise it boots.
  RoomLife(const LifeRules& rules, bool queued, TimePoint now);
  // A room of an earlier run. Its process has begun.
  struct Remembered {
    wire::RoomPhase phase = wire::RoomPhase::starting;
    wire::CloseReason reason = wire::CloseReason::none;
    bool placed = false;
    std::optional<TimePoint> drained_by;
  };
  RoomLife(const LifeRules& rules, const Remembered& remembered, TimePoint now);

  void step(const life::Event& event, TimePoint now, life::Outputs& out);

  [[nodiscard]] wire::RoomPhase phase() const { return phase_; }
  [[nodiscard]] wire::CloseReason reason() const { return reason_; }
  [[nodiscard]] bool queued() const { return queued_; }  // its process is not started yet
  [[nodiscard]] const std::optional<Timer>& timer() const { return timer_; }
  [[nodiscard]] bool takes_players() const {
    return phase_ == wire::RoomPhase::starting || phase_ == wire::RoomPhase::open;
  }

  friend bool operator==(const RoomLife&, const RoomLife&) = default;
  // Appends every field. A time is appended as the duration that remains, and a past time as 0.
  void append_bytes(std::string& out, TimePoint now) const;

 private:
  void on(const life::Placed& placed, TimePoint now, life::Outputs& out);
  void on(const life::Begun& begun, TimePoint now, life::Outputs& out);
  void on(const life::Ready& ready, TimePoint now, life::Outputs& out);
  void on(const life::Exited& exited, TimePoint now, life::Outputs& out);
  void on(const life::Healthy& healthy, TimePoint now, life::Outputs& out);
  void on(const life::Unhealthy& unhealthy, TimePoint now, life::Outputs& out);
  void on(const life::Silent& silent, TimePoint now, life::Outputs& out);
  void on(const life::AskedToEnd& asked, TimePoint now, life::Outputs& out);
  void on(const life::Dismissed& dismissed, TimePoint now, life::Outputs& out);
  void on(const life::Drained& drained, TimePoint now, life::Outputs& out);
  void on(const life::NeedChanged& changed, TimePoint now, life::Outputs& out);
  void on(const life::Recovered& recovered, TimePoint now, life::Outputs& out);
  void on(const life::Seen& seen, TimePoint now, life::Outputs& out);
  void on(const life::Due& due, TimePoint now, life::Outputs& out);

  [[nodiscard]] bool closed() const { return phase_ == wire::RoomPhase::closed; }
  void begin_boot(TimePoint now);
  void needed(const life::Need& need, TimePoint now, life::Outputs& out);
  [[nodiscard]] Duration stays_for(const life::Need& need) const;
  [[nodiscard]] bool waits_for_players() const;
  void ask(life::Outputs& out);  // emits Look
  void look(Meaning until, TimePoint now, life::Outputs& out);
  void heard(TimePoint now, life::Outputs& out);
  void empty(bool occupied, TimePoint now, life::Outputs& out);
  // Returns how long the game has waited for a processor since the last call.
  [[nodiscard]] Duration starved();
  void close(wire::CloseReason reason, life::Outputs& out, life::Blame blame = life::Blame::none);
  void ask_to_end(life::Why why, TimePoint now, life::Outputs& out);
  void end(wire::CloseReason reason, TimePoint now, life::Outputs& out,
           life::Why why = life::Why::closed);
  void kill(bool silent, life::Outputs& out);

  LifeRules rules_;
  wire::RoomPhase phase_ = wire::RoomPhase::starting;
  wire::CloseReason reason_ = wire::CloseReason::none;
  Process process_ = Process::running;
  bool queued_ = false;
  bool placed_ = false;
  std::uint8_t listened_ = 0;  // extra waits for a missing sign of life
  bool answered_ = true;       // the latest Look was answered
  bool heard_again_ = false;   // the timer was prolonged because Look was not answered
  TimePoint boot_by_;          // end of the boot, while starting and not queued
  Duration seen_{};            // processor wait of its game at the last Look
  Duration waited_{};          // processor wait that starved() has reported
  std::optional<Timer> timer_;
};

}  // namespace fixkeep::worker
