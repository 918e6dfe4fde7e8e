// The claims of a MasterCore and the place of each (ClaimPlace).
//
// Claims with a common player are served one after another: a later claim is parked until the
// earlier claims have ended. Within one master a player thus never gets two seats. Each new claim
// counts the earlier claims of its players. The end of an earlier claim reduces this count. When
// the count is 0, the parked claim is checked again. At the end of a claim, only the other claims
// of its players are thus visited (bound: Requests::most_claims_of_player).
//
// Invariants: 1. A claim has one place. Exactly the claims in place `queued` are in their group's
//                queue. Exactly the claims in place `pinned` are in their group's pinned claims.
//                Exactly the claims in place `reserved` are in `reserved_`.
//             2. Group::members counts the claims of a group in all places. A change to the members
//                or to the queue marks the group.
//             3. No number is used twice.
//             4. Whereabouts::behind counts the earlier claims in its scope, once for each common
//                player.
// Thread rule: one owner. Bounds: at most MasterOptions::waiting_requests claims; the owner ensures
// this. Arguments of type ClaimNumber name present claims unless a comment says otherwise.
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

  // Adds a claim, in place `nowhere` and without tickets.
  ClaimNumber add(Group& group, wire::Claim&& claim, SeatScope one_seat_per = SeatScope::mode,
                  std::optional<RoomId> only = {});
  // Removes the claim. Claims that were parked only for this claim become due. REQUIRES: the claim
  // has no tickets.
  void erase(ClaimNumber number);

  [[nodiscard]] Waiting& at(ClaimNumber number) {
    ++looks_;
    return claims_.at(number);
  }
  [[nodiscard]] const Waiting& at(ClaimNumber number) const {
    ++looks_;
    return claims_.at(number);
  }
  [[nodiscard]] const Waiting* find(ClaimNumber number) const;  // null: unknown
  [[nodiscard]] const PlayerIndex& players() const { return players_; }
  // Returns the number of accesses to claims so far. The number shows the cost of an event without
  // a clock (docs/benchmarks.md).
  [[nodiscard]] std::uint64_t looks() const { return looks_; }
  // Returns a waiting claim of the group for the same players and room. A retry shares the seats of
  // this claim.
  [[nodiscard]] std::optional<ClaimNumber> same(const Group& group, const wire::Claim& claim,
                                                const std::optional<RoomId>& only = {}) const;
  // Returns whether an earlier claim of a common player must end first (Whereabouts::behind).
  [[nodiscard]] bool behind_another(ClaimNumber number) const {
    return at(number).where->behind > 0;
  }

  // --- places. Each function moves the claim from its present place to a new place.
  void leave(ClaimNumber number);                    // the new place is `nowhere`
  void enqueue(ClaimNumber number);                  // the claim waits for any room of its group
  void pin(ClaimNumber number, const RoomId& room);  // the claim waits only for this room
  void park(ClaimNumber number);                     // the claim waits for an earlier claim's end
  void park(ClaimNumber number, TimePoint check_at);
  // Returns the time limit of a claim that is parked because a player has a seat elsewhere. The
  // first call sets the limit to `from_now_on`, and later calls do not change it. When the claim is
  // queued or pinned to another room, the limit is removed.
  [[nodiscard]] TimePoint parked_until(ClaimNumber number, TimePoint from_now_on);
  // Moves the limits of parked_until() by `late`, because the master did not run for this time: the
  // news that a seat is free may still be unread.
  void held_up(Duration late) { slept_ += late; }
  void ask(ClaimNumber number);
  void order(ClaimNumber number);
  void lend(ClaimNumber number);
  void reserve(ClaimNumber number, const RoomId& room);
  void wait_for_sight(ClaimNumber number, const WorkerId& worker);

  [[nodiscard]] std::vector<ClaimNumber> reserved_in(const RoomId& room) const;
  [[nodiscard]] std::vector<ClaimNumber> reserved_on(const WorkerId& worker) const;
  // Returns the next parked claim to check again, if one is due.
  [[nodiscard]] std::optional<ClaimNumber> take_due(TimePoint now);
  // Returns the time of the next check, but never a time before the last take_due().
  [[nodiscard]] TimePoint next_check() const { return std::max(checks_.next(), looked_at_); }

 private:
  Waiting& moved(ClaimNumber number, ClaimPlace place);

  GroupTable& groups_;
  std::unordered_map<ClaimNumber, Waiting> claims_;
  ClaimNumber last_ = 0;
  mutable std::uint64_t looks_ = 0;
  PlayerIndex players_;
  std::map<RoomId, std::set<ClaimNumber>> reserved_;  // the claims with seats in starting rooms
  Schedule<ClaimNumber> checks_;  // checks of parked claims; outdated entries are skipped
  TimePoint looked_at_ = TimePoint::min();
  Duration slept_{};
};

}  // namespace fixkeep::master
