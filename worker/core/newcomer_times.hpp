// Ends the time in which rooms take newcomers (Admission::until).
// Thread rule: one owner. Bounds: an entry for each room. Errors: none.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "worker/core/room.hpp"

namespace fixkeep::worker {

class NewcomerTimes {
 public:
  // Begins the room's time with its first player in the open room. Returns whether it has begun.
  [[nodiscard]] bool begin(Room& room, TimePoint now) {
    Admission& admission = room.admission;
    const bool played = room.phase() == wire::RoomPhase::open && room.seats.taken() > 0;
    if (admission.lasts == Duration{0} || admission.until || !played) return false;
    admission.until = now + admission.lasts;
    go_on(room, now);
    return true;
  }
  // A time before `now` would count as a late tick.
  void go_on(const Room& room, TimePoint now) {
    if (const auto until = room.admission.until) times_.emplace(std::max(*until, now), room.number);
  }
  [[nodiscard]] TimePoint next_tick() const {
    return times_.empty() ? TimePoint::max() : times_.begin()->first;
  }
  // Returns a room whose time is over.
  std::optional<RoomNumber> take_over(TimePoint now) {
    if (next_tick() > now) return std::nullopt;
    return times_.extract(times_.begin()).value().second;
  }

 private:
  std::set<std::pair<TimePoint, RoomNumber>> times_;
};

}  // namespace fixkeep::worker
