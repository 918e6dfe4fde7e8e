// Finds the queued claims of a group that need another room: they do not fit the seats expected
// without one.
//
// Seats are expected in two kinds of rooms. A room that is being asked has the seats that its
// worker's latest news leave beside the asking claims. A room that a master has ordered (another
// one by the lock value) has the seats beside its claims. Claims that may fit there wait for the
// result: to order for them too would make a room too many. Claims beyond need not wait for any
// answer. A claim takes no seat there if its player is known to sit in the room already. Nor does a
// claim that was given up meanwhile.
//
// A warm pool has no claims. When due it needs another room or one less (warm_pools.hpp).
//
// The claims take seats in their order. Each stays in one room (plan/first_fit.hpp). Thread rule:
// one owner. Bounds: the queue times the rooms. any() is asked at every event. With a queue of
// single players it costs O(rooms). If these seem too few it also costs their asking claims.
// Errors: none.
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
  // All outlive the object.
  SeatNeed(const Claims& claims, const Questions& questions, const Directory& directory)
      : claims_(claims), questions_(questions), directory_(directory) {}

  [[nodiscard]] bool any(const Group& group) const;
  [[nodiscard]] std::vector<ClaimNumber> claims(const Group& group) const;
  // The others of the queue.
  [[nodiscard]] events::KeptBack kept_back(const Group& group) const;

 private:
  // take(seats) for each room with expected seats. at_least: counts every asked claim as if it took
  // its seats.
  enum class Count : std::uint8_t { at_least, exactly };
  template <class Take>
  void each_expected(const Group& group, Count count, Take take) const;
  // Seats that the claims will not take although they were counted.
  [[nodiscard]] std::uint32_t not_taken(const std::vector<ClaimNumber>& claims,
                                        const Room* room) const;
  [[nodiscard]] std::vector<std::uint32_t> expected(const Group& group) const;

  const Claims& claims_;
  const Questions& questions_;
  const Directory& directory_;
};

}  // namespace fixkeep::master
