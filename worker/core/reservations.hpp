// The reservations of one seat that are neither given back nor used nor over yet.
//
// A player who asks again, at another master for example, gets the same seat under one more
// reservation. The seat is free only when all of them have ended, so giving one back takes nothing
// from the others; nor does it leave them anything: a claim that asks again and again, and cannot
// use what it gets, must not keep the seat of an answer that nobody came with.
//
// Thread rule: a value. Bounds: those beyond `most` are not told apart; they end with the last of
// them, by time only. Errors: none.
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
  // A crowd has one length, so it ends with the last of it.
  void lapse(ReservationId reservation);
  void clear();
  [[nodiscard]] bool none() const { return count_ == 0 && last_of_crowd_ == SeatReservation{}; }

  // Takes back the reservations that each() visited before.
  void restore(const std::vector<SeatReservation>& reservations);
  template <class Visit>
  void each(Visit visit) const {
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
