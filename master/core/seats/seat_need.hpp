// Which queued claims of a group need another room: those that fit none of the seats that are to be
// had without one.
//
// Seats are to be had in the rooms that are being asked, as far as they should have more than the
// claims will take, by what their workers have told since, and in those that this master or, as a
// lock value tells, another one has ordered and that have more seats than claims. Claims that may
// fit there wait for what comes of it: to order for them too would make a room too many. Those
// beyond need not wait for any answer, whatever it says. A claim takes no seat there whose player
// is known to sit in the room already, or that was given up meanwhile.
//
// A warm pool has no claims, and needs another room, or one less, when it is due (warm_pools.hpp).
//
// The claims take seats in their order, each in one room (plan/first_fit.hpp). Thread rule: one
// owner. Bounds: the queue times the rooms. any() is asked at every event: a queue of single
// players costs it the rooms, and where these seem too few, the claims that they are asked for.
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
  // take(seats) for each room in which seats are to be had; at_least: counts every claim that is
  // asked for as if it took its seats.
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
