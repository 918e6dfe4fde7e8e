#include "worker/core/reservations.hpp"

#include <algorithm>

namespace fixkeep::worker {

void Reservations::add(SeatReservation reservation) {
  const SeatReservation* const first = wanted_.data();
  const SeatReservation* const last = first + count_;
  if (std::find(first, last, reservation) != last) return;
  if (count_ == wanted_.size()) {
    last_of_crowd_ = reservation;
    return;
  }
  wanted_.at(count_++) = reservation;
}

template <class Ends>
void Reservations::end(Ends ends) {
  SeatReservation* const first = wanted_.data();
  count_ = static_cast<std::uint8_t>(std::remove_if(first, first + count_, ends) - first);
}

void Reservations::give_back(ReservationId reservation) {
  end([&](const SeatReservation& each) { return each.id == reservation; });
}

void Reservations::give_back_of(MasterId by, ReservationId after, ReservationId up_to) {
  end([&](const SeatReservation& each) {
    return each.by == by && each.id > after && each.id <= up_to;
  });
}

void Reservations::lapse(ReservationId reservation) {
  give_back(reservation);
  if (last_of_crowd_.id == reservation) last_of_crowd_ = {};
}

void Reservations::clear() {
  count_ = 0;
  last_of_crowd_ = {};
}

void Reservations::restore(const std::vector<SeatReservation>& reservations) {
  clear();
  for (const SeatReservation& reservation : reservations) add(reservation);
}

}  // namespace fixkeep::worker
