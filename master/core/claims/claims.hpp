// The claims of a MasterCore and the place of each (ClaimPlace).
//
// Claims with a common player go one after another: the later one is parked until the earlier ones
// are gone. Within one master a player thus never gets two seats. They are counted once, when the
// claim comes. Later ones are never before it. Each that goes counts itself off. The end of a claim
// thus costs its players and their claims (Requests::most_claims_of_player). Only a claim without
// an earlier one is looked at again.
//
// Invariants: 1. A claim is in one place. Its group's queue, the pinned claims of its group and the
//                reserved ones show exactly the claims in that place.
//             2. Group::members counts the claims of a group in all places. A change of them or of
//                its queue marks the group.
//             3. No number is used twice.
//             4. Whereabouts::behind counts the earlier claims in its scope, once for each common
//                player.
// Thread rule: one owner. Bounds: MasterOptions::waiting_requests, kept by the owner. Numbers
// are known unless the comment says otherwise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "master/core/claims/player_index.hpp"
#include "master/core/groups/claim.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/groups/schedule.hpp"

namespace fixkeep::master {

class Claims {
 public:
  explicit Claims(GroupTable& groups, PlayerHasher hash = {}) : groups_(groups), players_(hash) {}

  // Its place is nowhere. It has no tickets.
  ClaimNumber add(Group& group, wire::Claim&& claim, SeatScope one_seat_per = SeatScope::mode,
                  std::optional<RoomId> only = {});
  // REQUIRES: it has no tickets. It leaves its place; claims that were parked behind it alone are
  // due.
  void erase(ClaimNumber number);

  [[nodiscard]] Waiting& at(ClaimNumber number) {
    ++looks_;
    return claims_.at(number);
  }
  [[nodiscard]] const Waiting& at(ClaimNumber number) const {
    ++looks_;
    return claims_.at(number);
  }
  [[nodiscard]] const Waiting* find(ClaimNumber number) const;  // null if it is gone
  [[nodiscard]] const PlayerIndex& players() const { return players_; }
  // Counts the looks at claims: the cost of an event (docs/benchmarks.md), measured without a
  // clock.
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  // A claim of the group that wants just the same: a retry shares its seats.
  [[nodiscard]] std::optional<ClaimNumber> same(const Group& group, const wire::Claim& claim,
                                                const std::optional<RoomId>& only = {}) const;
  // An earlier claim has one of its players and would give them the seat that they may have.
  [[nodiscard]] bool behind_another(ClaimNumber number) const {
    return at(number).where->behind > 0;
  }

  // --- places. Each takes the claim out of the place where it was.
  void leave(ClaimNumber number);                    // nowhere
  void enqueue(ClaimNumber number);                  // it takes any room of its group
  void pin(ClaimNumber number, const RoomId& room);  // it waits for its player's room
  void park(ClaimNumber number);                     // it waits for the end of an earlier claim
  void park(ClaimNumber number, TimePoint check_at);
  // The last time for which it may be parked because one of its players sits elsewhere. It is
  // `from_now_on` unless parking began before and the claim was neither queued nor had another room
  // since.
  [[nodiscard]] TimePoint parked_until(ClaimNumber number, TimePoint from_now_on);
  // The master was away for this time and may not have heard yet that a seat is free.
  void held_up(Duration late) { slept_ += late; }
  void ask(ClaimNumber number);
  void order(ClaimNumber number);
  void lend(ClaimNumber number);
  void reserve(ClaimNumber number, const RoomId& room);
  void wait_for_sight(ClaimNumber number, const WorkerId& worker);

  [[nodiscard]] std::vector<ClaimNumber> reserved_in(const RoomId& room) const;
  [[nodiscard]] std::vector<ClaimNumber> reserved_on(const WorkerId& worker) const;
  // The next parked claim to be looked at again, if any is due.
  [[nodiscard]] std::optional<ClaimNumber> take_due(TimePoint now);
  // When there is one; not before the time at which take_due() was asked the last time.
  [[nodiscard]] TimePoint next_check() const { return std::max(checks_.next(), looked_at_); }

 private:
  Waiting& moved(ClaimNumber number, ClaimPlace place);

  GroupTable& groups_;
  std::unordered_map<ClaimNumber, Waiting> claims_;
  ClaimNumber last_ = 0;
  mutable std::uint64_t looks_ = 0;
  PlayerIndex players_;
  std::map<RoomId, std::set<ClaimNumber>> reserved_;  // claims of rooms that are not ready
  Schedule<ClaimNumber> checks_;  // checks of parked claims; some are elsewhere by then
  TimePoint looked_at_ = TimePoint::min();
  Duration slept_{};
};

}  // namespace fixkeep::master
