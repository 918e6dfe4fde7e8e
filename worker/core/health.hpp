// Health stores when each game last sent a sign of life, and finds the silent games.
//
// The watch of a game begins with its first sign of life and goes on in the worker's next run
// (RoomRecord). A game that never sends a sign is not watched. Invariants: a game is in `last_` if
// and only if it is in `due_`. Its time in `due_` is its time in `last_` plus the limit.
// Thread rule: one owner. Bounds: one entry for each watched game. Errors: none.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

class Health {
 public:
  explicit Health(Duration limit) : limit_(limit) {}

  [[nodiscard]] Duration limit() const { return limit_; }

  // Notes a sign of life of the game. The first sign starts the watch.
  void sign(RoomNumber room, TimePoint now) {
    forget(room);
    due_.emplace(now + limit_, room);
    last_.emplace(room, now);
  }
  [[nodiscard]] bool watches(RoomNumber room) const { return last_.contains(room); }
  // Keeps watching a silent game, and gives the game more time (at most the limit).
  void sign_within(RoomNumber room, Duration time, TimePoint now) {
    sign(room, now + time - limit_);
  }
  void forget(RoomNumber room) {
    const auto last = last_.extract(room);
    if (!last.empty()) due_.erase({last.mapped() + limit_, room});
  }

  // Returns a game that has been silent for the limit, and stops watching it.
  [[nodiscard]] std::optional<RoomNumber> take_silent(TimePoint now) {
    if (next_tick() > now) return std::nullopt;
    const RoomNumber room = due_.begin()->second;
    forget(room);
    return room;
  }
  [[nodiscard]] TimePoint next_tick() const {
    return due_.empty() ? TimePoint::max() : due_.begin()->first;
  }

 private:
  Duration limit_;
  std::map<RoomNumber, TimePoint> last_;
  std::set<std::pair<TimePoint, RoomNumber>> due_;
};

}  // namespace fixkeep::worker
