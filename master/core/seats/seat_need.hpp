// Finds the queued claims of a group that need another room because they do not fit into the
// expected seats.
//
// Seats are expected in two kinds of rooms. The first kind is a room with an open SeatRequest: its
// free seats in the worker's latest news, minus the seats for the request's claims. The second kind
// is an ordered room (other masters' orders are in the lock value): its seats minus the seats for
// its claims. Claims that may fit there wait for the result: an order for them would make one room
// too many. Claims beyond these seats need not wait for any answer. A claim in a SeatRequest needs
// no seat for a player that already sits in the room. A cancelled claim needs no seats.
//
// A warm pool has no claims. If it is due, it lacks rooms or has too many (warm_pools.hpp).
//
// The claims take seats in their order, each in one room (plan/first_fit.hpp). Claims without
// backfill take theirs first, since they fit into fewer rooms. Thread rule: one
// owner. Bounds: a call costs O(queue × rooms). Every event calls any(). With a queue of single
// players this call costs O(rooms). If the seats seem too few, any() also visits the claims that
// ask these rooms. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/events/event.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group.hpp"
#include "master/core/groups/questions.hpp"

namespace fixkeep::master {

class SeatNeed {
 public:
  // The arguments outlive the object.
  SeatNeed(const Claims& claims, const Questions& questions, const Directory& directory)
      : claims_(claims), questions_(questions), directory_(directory) {}

  [[nodiscard]] bool any(const Group& group) const;
  [[nodiscard]] std::vector<ClaimNumber> claims(const Group& group) const;
  // Counts the queued claims that claims() does not return.
  [[nodiscard]] events::KeptBack kept_back(const Group& group) const;

 private:
  // Expected seats in one room, with `gathers`: also for claims without backfill.
  struct Expected {
    std::uint32_t seats = 0;
    bool gathers = true;
  };
  // each_expected() calls take(Expected) for each room with expected seats. `at_least` assumes that
  // every asking claim takes all its seats. `exactly` adds the seats of not_taken().
  enum class Count : std::uint8_t { at_least, exactly };
  template <class Take>
  void each_expected(const Group& group, Count count, Take take) const;
  // Returns the seats that the claims do not need: of cancelled claims, and of players in `room`.
  [[nodiscard]] std::uint32_t not_taken(const std::vector<ClaimNumber>& claims,
                                        const Room* room) const;
  [[nodiscard]] std::vector<Expected> expected(const Group& group) const;
  // Calls visit(claim, fits) for each queued claim. Claims without backfill come first.
  template <class Visit>
  void each_claim(const Group& group, std::vector<Expected>&& rooms, Visit visit) const;

  const Claims& claims_;
  const Questions& questions_;
  const Directory& directory_;
};

}  // namespace fixkeep::master
