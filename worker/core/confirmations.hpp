// Confirmations are grants of seats that the players already had.
//
// A player may leave through master A and request a seat through master B at the same moment. The
// release and the request can arrive in any order. A's release must not end the seat that B has
// confirmed. The worker cannot know which message the player sent last. Therefore the seat stays
// taken if A's release has no reservation id and B's confirmation is recent. If the player did
// leave last, the seat comes free only when B's reservation ends.
//
// Assumes: the delays of messages from two masters differ by less than the time `counts_for`.
// Thread rule: one owner; reads no clock. Bounds: `most` confirmations. Further confirmations are
// not stored, so a release without an id ends their seats. Errors: none.
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
  // If `master` releases a seat without an id, this reservation of another master must not end.
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
