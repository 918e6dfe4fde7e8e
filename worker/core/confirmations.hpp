// Confirmations are seats that players already had when a master was granted them once more.
//
// A player may leave through one master and ask another at the same moment. The two messages arrive
// in any order. The first master's release must not end the seat that the other has answered.
// Therefore a release without a reservation id keeps a seat that another master was granted shortly
// before. The player's own order is unknown here: if the player truly leaves last within that time,
// the seat comes free only when the reservation ends.
//
// Assumes: the delays of messages from two masters differ by less than `counts_for`. Thread rule:
// one owner; reads no clock. Bounds: `most`; a seat beyond them ends with the release. Errors:
// none.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

class Confirmations {
 public:
  static constexpr Duration counts_for = std::chrono::seconds{1};
  static constexpr std::size_t most = 10'000;

  void add(RoomNumber room, const PlayerId& player, MasterId master, ReservationId reservation,
           TimePoint now) {
    if (last_.size() >= most) {
      std::erase_if(last_, [&](const auto& entry) { return now >= entry.second.until; });
      if (last_.size() >= most) return;
    }
    last_.insert_or_assign({room, player}, Last{master, reservation, now + counts_for});
  }
  // A fresh reservation of another master that an unnamed release by `master` must not end.
  [[nodiscard]] std::optional<ReservationId> of_another(MasterId master, RoomNumber room,
                                                        const PlayerId& player,
                                                        TimePoint now) const {
    const auto at = last_.find({room, player});
    if (at == last_.end() || at->second.master == master || now >= at->second.until) return {};
    return at->second.reservation;
  }

 private:
  struct Last {
    MasterId master;
    ReservationId reservation;
    TimePoint until;
  };
  std::map<std::pair<RoomNumber, PlayerId>, Last> last_;
};

}  // namespace fixkeep::worker
