// The claims of a Matchmaker, and where each of them is (ClaimPlace).
//
// Claims that have a player in common go one after another: the later one is parked until the
// earlier one is gone, so within one master a player never gets two seats.
//
// Invariants: 1. a claim is in one place, and its group's queue, the pinned claims of its group and
//                the reserved ones show exactly the claims whose place that is.
//             2. Group::members counts the claims of a group, wherever they are; a change of them
//                or of its queue marks the group.
//             3. no number is used twice.
// Thread rule: one owner. Bounds: MatchmakerOptions::waiting_requests, kept by the owner. Numbers
// are known unless the comment says otherwise.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "master/core/claim.hpp"
#include "master/core/group_table.hpp"
#include "master/core/player_index.hpp"
#include "master/core/schedule.hpp"

namespace fixkeep::master {

class Claims {
 public:
  explicit Claims(GroupTable& groups) : groups_(groups) {}

  // Its place is nowhere, and it has no tickets.
  ClaimNumber add(Group& group, wire::Claim&& claim);
  // REQUIRES: it has no tickets. It leaves its place; claims that were parked behind it are due.
  void erase(ClaimNumber number);

  [[nodiscard]] Waiting& at(ClaimNumber number) { return claims_.at(number); }
  [[nodiscard]] const Waiting& at(ClaimNumber number) const { return claims_.at(number); }
  [[nodiscard]] const Waiting* find(ClaimNumber number) const;  // null if it is gone
  [[nodiscard]] const PlayerIndex& players() const { return players_; }
  // A claim of the group that wants just the same: a retry shares its seats.
  [[nodiscard]] std::optional<ClaimNumber> same(const Group& group, const wire::Claim& claim) const;
  // An earlier claim has one of its players, and would give them the seat that they may have.
  [[nodiscard]] bool behind_another(ClaimNumber number) const;

  // --- places. Each takes the claim out of the place where it was.
  void leave(ClaimNumber number);                    // nowhere
  void enqueue(ClaimNumber number);                  // for any room of its group
  void pin(ClaimNumber number, const RoomId& room);  // for the room in which its player has a seat
  void park(ClaimNumber number);                     // until the claim before it is gone
  void park(ClaimNumber number, TimePoint check_at);
  void ask(ClaimNumber number);
  void order(ClaimNumber number);
  void reserve(ClaimNumber number, const RoomId& room);

  [[nodiscard]] std::vector<ClaimNumber> reserved_in(const RoomId& room) const;
  [[nodiscard]] std::vector<ClaimNumber> reserved_on(const WorkerId& worker) const;
  // The next parked claim to be looked at again, if any is due.
  [[nodiscard]] std::optional<ClaimNumber> take_due(TimePoint now);
  [[nodiscard]] TimePoint next_check() const { return checks_.next(); }

 private:
  Waiting& moved(ClaimNumber number, ClaimPlace place);

  GroupTable& groups_;
  std::unordered_map<ClaimNumber, Waiting> claims_;
  ClaimNumber last_ = 0;
  PlayerIndex players_;
  std::map<RoomId, std::set<ClaimNumber>> reserved_;  // in rooms that are not ready
  Schedule<ClaimNumber> checks_;  // of parked claims; also of claims that are elsewhere by then
};

}  // namespace fixkeep::master
