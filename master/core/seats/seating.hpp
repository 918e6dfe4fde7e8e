// Places a claim: into its group's queue, into the room where its players have seats, behind
// another claim of its players or to its answer.
//
// The worker of a room reserves seats for a claim. If the room is ready the claim is answered.
// Otherwise it waits until the room is. A reservation can be lost with its room or worker. It is
// given back if another seat of one of the players counts more (one_seat.hpp). Then the claim is
// placed anew up to a bound.
//
// Invariant: reserved seats are answered for, kept for a waiting claim or given back.
// Thread rule: one owner. Bounds: most_losses and MasterOptions::spawn_attempts a claim,
// most_checks an event. Errors: Refused.
#pragma once

#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/claims/leavers.hpp"
#include "master/core/claims/requests.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/seam/settings.hpp"
#include "master/core/seam/step.hpp"

namespace fixkeep::master {

class Seating {
 public:
  // All outlive the object.
  Seating(const MasterOptions& options, Directory& directory, GroupTable& groups, Claims& claims,
          Requests& requests)
      : options_(options),
        directory_(directory),
        groups_(groups),
        claims_(claims),
        requests_(requests) {}

  void place(ClaimNumber number, Step& step);
  // Most parked claims that one event looks at again. The rest are due at once as an event of their
  // own. They do not delay messages of workers and masters.
  static constexpr std::size_t most_checks = 1024;
  // Places at most `most` due parked claims anew and counts them off. True: there were some.
  bool check_parked(std::size_t& most, Step& step);

  // The player gives its seat in the room back. Its next claim waits for the worker's word of it.
  void seat_left(const RoomId& room, const PlayerId& player, Step& step);

  // --- what became of a question about the claim
  // A worker has reserved seats in the room. `fresh`: a player of the claim had no seat there
  // before.
  void reserved(ClaimNumber number, const RoomId& room, const Reservation& reservation, bool fresh,
                Step& step);
  // The room has no seats for the claim.
  void denied(ClaimNumber number, const RoomId& room, Step& step);
  // No room was started for the claim or one without seats for it.
  void not_served(ClaimNumber number, Step& step);
  // Its room or worker is gone with its present or requested seats.
  void lost(ClaimNumber number, Step& step);
  // The same, but the claim is not placed. False: it has ended.
  [[nodiscard]] bool goes_on(ClaimNumber number, Step& step);

  // --- news
  // After any news of a room: answers or moves the claims that have their seats in it.
  void room_changed(const RoomId& room, wire::CloseReason reason, Step& step);
  // These players have seats in the room.
  void players_seated(const Room& room, const std::vector<PlayerId>& players, Step& step);

 private:
  // One of the claim's players has just given the seat in the room back.
  [[nodiscard]] bool was_left(const Room& room, const Waiting& waiting, TimePoint now) const;
  void park(ClaimNumber number, Step& step);
  // Answers the claim, or asks once more if its seats may have lapsed on the way.
  void answer(ClaimNumber number, const Room& room, Step& step);
  // Gives the seats in `own` back for the sake of those in `better`.
  void give_way(ClaimNumber number, const RoomId& own, const Room& better, Step& step);

  const MasterOptions& options_;
  Directory& directory_;
  GroupTable& groups_;
  Claims& claims_;
  Requests& requests_;
  Leavers leavers_;
};

}  // namespace fixkeep::master
