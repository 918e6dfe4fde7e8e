// SeatDeadlines stores when the time of each reservation is over.
//
// Reservations of equal length end in the order in which they were made. A queue for each length is
// thus enough, and no heap is needed. The deadline of a reservation that was given back or used has
// no effect. A reservation lapses only when the additional time `hears_first` after its deadline is
// over, because the report of a player that came in time may arrive late.
//
// Thread rule: one owner. Bounds: one entry for each reservation and one queue for each length.
// Each mode has two lengths: the times to come and to come back. The length longest_untold_seat is
// for all modes. Errors: none.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

struct Expiry {
  RoomNumber room;
  PlayerId player;
  ReservationId reservation;
  bool is_last = false;  // the second deadline; at the first deadline, the worker did not know
                         // which players had come
};

class SeatDeadlines {
 public:
  explicit SeatDeadlines(Duration hears_first) : hears_first_(hears_first) {}

  void expect(Expiry expiry, Duration length, TimePoint now) {
    queues_[length].emplace_back(now + length, std::move(expiry));
  }

  // Takes a reservation whose time is over, and returns its room. Nullopt: there is none. The
  // reservation lapses later, after the additional time: see take_lapsed().
  [[nodiscard]] std::optional<RoomNumber> take_over(TimePoint now) {
    for (auto& [length, queue] : queues_) {
      if (queue.empty() || queue.front().first > now) continue;
      lapsing_.emplace_back(now + hears_first_, std::move(queue.front().second));
      queue.pop_front();
      return lapsing_.back().second.room;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Expiry> take_lapsed(TimePoint now) {
    if (lapsing_.empty() || lapsing_.front().first > now) return std::nullopt;
    Expiry lapsed = std::move(lapsing_.front().second);
    lapsing_.pop_front();
    return lapsed;
  }

  [[nodiscard]] TimePoint next_tick() const {
    TimePoint next = lapsing_.empty() ? TimePoint::max() : lapsing_.front().first;
    for (const auto& [length, queue] : queues_) {
      if (!queue.empty()) next = std::min(next, queue.front().first);
    }
    return next;
  }

 private:
  using Queue = std::deque<std::pair<TimePoint, Expiry>>;
  Duration hears_first_;
  std::map<Duration, Queue> queues_;
  Queue lapsing_;
};

}  // namespace fixkeep::worker
