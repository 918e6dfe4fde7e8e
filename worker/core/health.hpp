// When each game said last that it is well, and which of them have fallen silent since.
//
// Only a game that has said so once is held to it, also by the next run of the worker (RoomRecord):
// a game that does not know the call is left alone. Invariants: a game is in `last_` if and only if
// it is in `due_`, there at its time of `last_` and the limit. Thread rule: one owner. Bounds: one
// entry for each game that is watched. Errors: none.
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

  // The game gave a sign of life; from the first one on it is watched.
  void sign(RoomNumber room, TimePoint now) {
    forget(room);
    due_.emplace(now + limit_, room);
    last_.emplace(room, now);
  }
  [[nodiscard]] bool watches(RoomNumber room) const { return last_.contains(room); }
  // A game that was silent is watched on, and given so much more; at most the limit.
  void sign_within(RoomNumber room, Duration time, TimePoint now) {
    sign(room, now + time - limit_);
  }
  void forget(RoomNumber room) {
    const auto last = last_.extract(room);
    if (!last.empty()) due_.erase({last.mapped() + limit_, room});
  }

  // A game that has been silent for the limit; it is not watched any more.
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
