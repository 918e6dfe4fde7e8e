// RoomModel is one room with everything that can happen to it: the production RoomLife, and around
// it a runner that says what it likes in any order, players that come and go, operators, a machine
// that is busy, and a worker that is killed and goes on with what its journal remembers.
//
// The checker has its own idea of what the room has to do (header of worker/core/room_life.hpp).
// Time passes in ticks. A timer may be late by one of them. Thread rule: a value. Bounds:
// RoomBudget. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/model/explore.hpp"
#include "worker/core/room_life.hpp"

namespace fixkeep::model {

struct RoomBudget {
  bool queued = false;  // its process waits for its turn
  bool warm = false;    // it is given to a group later
  int boot_ticks = 3;   // it has so many to boot
  bool untold = false;  // only a look tells who is in it
  int restarts = 0;     // of its worker
  int starved = 0;      // ticks for which its game may wait for a processor
  int drains = 0;       // by operators
  int decisions = 0;    // of its game, whether newcomers may come
};

class RoomModel {
 public:
  explicit RoomModel(const RoomBudget& budget);

  void steps(std::vector<Step>& out) const;
  void take(Step step);
  [[nodiscard]] std::optional<std::string> violation(const std::vector<Step>& steps) const;
  void append_bytes(std::string& out) const;
  [[nodiscard]] static std::string describe(Step step);

 private:
  void happen(const worker::life::Event& event);
  void perform(const worker::life::Open& open);
  void perform(const worker::life::Close& close);
  void perform(const worker::life::TellDrain& tell);
  void perform(const worker::life::Signal& signal);
  void perform(const worker::life::Kill& kill);
  void perform(const worker::life::Look& look);
  void perform(const worker::life::ListenFor& listen);
  void perform(const worker::life::Forget& forget);
  void restart(bool complete);
  void be_due();
  void change_need(bool taken, bool kept);
  [[nodiscard]] bool is_wanted() const;
  [[nodiscard]] worker::life::Need need() const;
  [[nodiscard]] bool due() const;
  [[nodiscard]] bool silent() const { return silent_at_ && *silent_at_ <= now_; }
  [[nodiscard]] bool may_pass() const;
  void add_time(std::vector<Step>& out) const;
  void check(bool holds, const char* otherwise);

  RoomBudget left_;
  TimePoint now_{};
  worker::RoomLife life_;
  const char* wrong_ = nullptr;

  // This is so around the room.
  bool taken_ = true;             // a seat
  bool kept_ = false;             // warm
  bool came_ = false;             // somebody has been in it
  bool over_ = false;             // it takes no newcomers
  bool seemed_occupied_ = false;  // when its timer was over, and nothing has changed since
  bool in_doubt_ = false;
  bool looked_at_ = false;              // and nobody has answered
  Duration waited_{};                   // for a processor, in all
  std::optional<TimePoint> silent_at_;  // it gives signs of life, and is due to give one

  // The checker remembers this of it.
  bool told_ = false;  // where it is
  bool begun_ = false;
  TimePoint boots_from_;
  bool opened_ = false;
  wire::CloseReason reason_ = wire::CloseReason::none;
  std::optional<TimePoint> signalled_;  // by this run of the worker
  bool listened_ = false;               // for a sign of life that was due
  bool killed_ = false;                 // likewise
  bool gone_ = false;
};

}  // namespace fixkeep::model
