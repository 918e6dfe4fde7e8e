// The open reservations of one seat. A reservation is open until it is given back, is used or
// lapses.
//
// A player that asks again (for example at another master) gets the same seat under an additional
// reservation. The seat is free only when all its reservations have ended. If a reservation is
// given back, the others thus remain. The returned reservation ends immediately. Otherwise a claim
// that asks repeatedly, but cannot use the answers, would keep a seat.
//
// Thread rule: a value. Bounds: `most` separate reservations. Further reservations (the crowd) end
// together, when the last of them lapses. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/core/memory.hpp"

namespace fixkeep::worker {

class Reservations {
 public:
  static constexpr std::size_t most = 4;

  void add(SeatReservation reservation);
  void give_back(ReservationId reservation);
  void give_back_of(MasterId by, ReservationId after, ReservationId up_to);
  // Ends a reservation whose time is over. The crowd ends with the reservation that was made last:
  // all its reservations have the same length, so no other reservation ends later.
  void lapse(ReservationId reservation);
  void clear();
  [[nodiscard]] bool none() const { return count_ == 0 && last_of_crowd_ == SeatReservation{}; }

  // Restores the reservations that each() of an earlier run has visited.
  void restore(const std::vector<SeatReservation>& reservations);
  void each(auto visit) const {
    for (std::size_t i = 0; i < count_; ++i) visit(wanted_[i]);
    if (last_of_crowd_ != SeatReservation{}) visit(last_of_crowd_);
  }

 private:
  template <class Ends>
  void end(Ends ends);

  std::array<SeatReservation, most> wanted_{};
  std::uint8_t count_ = 0;
  SeatReservation last_of_crowd_;
};

}  // namespace fixkeep::worker
