// Places a claim: into its group's queue, into the room where its players have seats, or behind
// another claim of its players. It also answers claims.
//
// A room's worker reserves seats for a claim. The claim is answered when the room is ready. A
// reservation can be lost with its room or worker. The reservation is given back if another seat of
// one of the players counts more (one_seat.hpp). In both cases the claim is placed again, up to a
// bound.
//
// Invariant: reserved seats are in an answer, kept for a waiting claim or given back.
// Thread rule: one owner. Bounds: at most `most_losses` losses and MasterOptions::spawn_attempts
// failed boots per claim, `most_checks` checks per event. Errors: Refused.
#pragma once

#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/claims/leavers.hpp"
#include "master/core/claims/requests.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/directory/matches.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/seam/events.hpp"
#include "master/core/seam/settings.hpp"
#include "master/core/seam/step.hpp"

namespace fixkeep::master {

class Seating {
 public:
  // The arguments outlive the object.
  Seating(const MasterOptions& options, Directory& directory, GroupTable& groups, Claims& claims,
          Requests& requests)
      : options_(options),
        directory_(directory),
        groups_(groups),
        claims_(claims),
        requests_(requests) {}

  void place(ClaimNumber number, Step& step);
  // Limit on parked claims that one event checks. The next tick, due immediately, checks more. The
  // checks thus delay no messages from workers and masters.
  static constexpr std::size_t most_checks = 1024;
  // Places at most `most` due parked claims again, and reduces `most` by their number. Returns
  // whether any claim was due.
  bool check_parked(std::size_t& most, Step& step);

  // Call when the players give back their seats in the room. A player's next claim waits until the
  // worker confirms this.
  void seats_left(const SeatsLeft& event, TimePoint now);

  // --- matches made elsewhere. A match has one room as long as any master or worker knows the
  // match.
  // Call if the match has ended at a worker. While the match has another room, it goes on there.
  // An empty `mode` is not known.
  void match_ended(const GroupKey& group, const ModeName& mode, TimePoint now) {
    ended_matches_.add(group, mode, now);
  }
  [[nodiscard]] bool has_ended(const GroupKey& group) const {
    return ended_matches_.contains(group);
  }
  [[nodiscard]] ModeName mode_of_ended(const GroupKey& group) const {
    return ended_matches_.mode_of(group);
  }
  // Places the queued claims of a match that has a room or has ended.
  void look_at_match(const Group& group, Step& step);

  // --- results of a question about the claim
  // A worker has reserved seats in the room. `fresh`: at least one player of the claim had no seat
  // there before.
  void reserved(ClaimNumber number, const RoomId& room, const Reservation& reservation, bool fresh,
                Step& step);
  // Call if the room has no seats for the claim.
  void denied(ClaimNumber number, const RoomId& room, Step& step);
  // Call if no room was started for the claim, or if the started room has no seats for it.
  void not_served(ClaimNumber number, Step& step);
  // Call if a pinned claim's room takes no players, or is out of sight. Gives its seats there back.
  void unpin(ClaimNumber number, Step& step);
  // Call if the claim has lost its reserved or requested seats with a room or a worker.
  void lost(ClaimNumber number, Step& step);
  // Works like lost(), but does not place the claim. Returns false if the claim has ended.
  [[nodiscard]] bool goes_on(ClaimNumber number, Step& step);

  // --- news
  // Call after any change of a room: answers or moves the claims with seats in this room.
  void room_changed(const RoomId& room, wire::CloseReason reason, Step& step);
  // Call when news shows that these players have seats in the room. Places their waiting claims
  // again. A claim whose own seats count less gives these back.
  void players_seated(const Room& room, const std::vector<PlayerId>& players, Step& step);

 private:
  // Returns whether a player of the claim has just given back its seat in the room.
  [[nodiscard]] bool was_left(const Room& room, const Waiting& waiting, TimePoint now) const;
  // Returns why the claim gets no seats in its match. Returns nothing if the claim may get seats,
  // or if the match has no room yet.
  [[nodiscard]] std::optional<Refusal> refusal_of_match(const Waiting& waiting) const;
  void park(ClaimNumber number, Step& step);
  // Answers the claim with its seats. If little time of the reservation is left, asks for the seats
  // again.
  void answer(ClaimNumber number, const Room& room, Step& step);
  void forget_seats(ClaimNumber number, Step& step);
  // Gives the claim's seats in `own` back because the seats in `better` count more.
  void give_way(ClaimNumber number, const RoomId& own, const Room& better, Step& step);

  const MasterOptions& options_;
  Directory& directory_;
  GroupTable& groups_;
  Claims& claims_;
  Requests& requests_;
  Leavers leavers_;
  EndedMatches ended_matches_;
};

}  // namespace fixkeep::master
