// A RoomLife is the life of one room from its order to the end of its process: a sans-IO machine.
//
//   phase      what the room does                  until                            and then
//   starting   its process waits for its turn,     Ready, if its place was told     open
//              and boots
//   open       takes players                       Drained                          draining
//   draining   takes no new players                it is empty, or time is over     closed
//   closed     its process ends                    Exited                           gone
//
// Every phase leads to closed. There is one timer. It has a meaning:
//
//   timer      the room has it                             what happens at its end
//   boot       while it boots and is wanted                its messages are heard: hearing
//   hearing    after boot                                  it has failed, and is killed, unless
//                                                          it had no processor: boot
//   unwanted   while it starts and is not wanted           it closes
//   empty      while it is open, or in doubt, and not      it closes, if it is empty
//              wanted
//   looking    after empty, if only a look tells whether   the same
//              players are in it
//   drain      while it is drained for a limited time      it closes
//   grace      after it was asked to end                   it is killed
//
// The driver steps what happens, performs the outputs in their order and steps Due when the timer
// is due. It may answer Look with Seen or not.
//
// Fault model: the runner says anything in any order or nothing at all.
//
// Invariants: 1. It opens once and only after its place was told.
//             2. It closes once for one reason and never opens after that.
//             3. A room that is not closed is wanted or has a timer. A booting room always has one.
//                It boots at most for its time plus the time of hearing.
//             4. Its process is asked to end once, killed once and gone once. All three happen only
//                after the room is closed.
//             5. It is killed without its grace only if it boots too long or gives no sign of life.
//                Its messages were heard before.
//             6. A closed room has the timer grace or was killed or its process is gone.
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
  Duration hears_first{};        // limit for hearing messages that wait in sockets
  Duration close_empty_after{};  // limit for an open room
  Duration unwanted_after{};    // limit for a starting room, and for one that no player has entered
  bool looks_if_empty = false;  // only a look tells whether players are in it
  friend bool operator==(const LifeRules&, const LifeRules&) = default;
};

class RoomLife {
 public:
  enum class Process : std::uint8_t {
    running,    // ordered: waits for its turn, boots or serves
    signalled,  // asked to end, has its grace
    killed,     // ends any moment
    gone,       // has ended
  };
  enum class Meaning : std::uint8_t { boot, hearing, unwanted, empty, looking, drain, grace };
  struct Timer {
    TimePoint at;
    Meaning meaning = Meaning::boot;
    friend bool operator==(const Timer&, const Timer&) = default;
  };

  // A room ordered now. `queued`: its process waits for its turn; otherwise it boots.
  RoomLife(const LifeRules& rules, bool queued, TimePoint now);
  // A room of an earlier run with a begun process.
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
  [[nodiscard]] bool queued() const { return queued_; }  // its process has yet to be started
  [[nodiscard]] const std::optional<Timer>& timer() const { return timer_; }
  [[nodiscard]] bool takes_players() const {
    return phase_ == wire::RoomPhase::starting || phase_ == wire::RoomPhase::open;
  }

  friend bool operator==(const RoomLife&, const RoomLife&) = default;
  // Every field. Times are remaining durations since all times in the past are the same.
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
  void look(Meaning until, TimePoint now, life::Outputs& out);
  void heard(TimePoint now, life::Outputs& out);
  void empty(bool occupied, TimePoint now, life::Outputs& out);
  // Returns how long its game has waited for a processor since the last call.
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
  bool listened_ = false;  // it has waited once more for the due sign of life
  TimePoint boot_by_;      // end of the boot, while starting and not queued
  Duration seen_{};        // processor wait of its game at the last look
  Duration waited_{};      // processor wait when the game was last about to be ended
  std::optional<Timer> timer_;
};

}  // namespace fixkeep::worker
