// Handles requests up to their answers: each ticket gets one answer unless its client has hung up.
// The answer is a refusal or the claim's seats.
//
// A claim without tickets ends immediately, unless a worker's answer is still due. In this case the
// claim waits for the answer and gives its seats back.
//
// Thread rule: one owner. Bounds: MasterOptions::waiting_requests, and waiting_requests_per_group
// for each group; at most `most_claims_of_player` claims for each player that a claim names,
// `most_tickets_of_claim` tickets per claim, `most_seats_of_player` seats per player. The handling
// of a party visits all claims that share a member with the party. Errors: Refused.
#pragma once

#include <cstddef>
#include <optional>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/claims/lost_seats.hpp"
#include "master/core/claims/room_budget.hpp"
#include "master/core/claims/tickets.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/seam/pool_claim.hpp"
#include "master/core/seam/settings.hpp"
#include "master/core/seam/step.hpp"
#include "master/core/seam/why_waits.hpp"

namespace fixkeep::master {

class Requests {
 public:
  // Limit on different claims that name the same player at the same time. A claim names one player
  // or a party.
  static constexpr std::size_t most_claims_of_player = 16;
  // Limit on waiting requests that share one claim.
  static constexpr std::size_t most_tickets_of_claim = 256;
  // A player with this many seats in all groups gets no more seats.
  static constexpr std::size_t most_seats_of_player = 64;

  // The arguments outlive the object.
  Requests(const MasterOptions& options, Directory& directory, GroupTable& groups, Claims& claims,
           LostSeats& lost_seats, const RoomBudget& budget, MasterCounters& counters)
      : options_(options),
        directory_(directory),
        groups_(groups),
        claims_(claims),
        lost_seats_(lost_seats),
        budget_(budget),
        counters_(counters) {}

  // Returns a claim to place. Returns nothing if the request was refused or joined a waiting claim.
  // REQUIRES: the ticket was never used before.
  [[nodiscard]] std::optional<ClaimNumber> admit(MatchRequested&& request, Step& step);
  void cancel(TicketId ticket, Step& step);  // no effect on an answered ticket
  void expire(Step& step);
  // Refuses all present and later requests.
  void stop(Step& step);
  // Sets the refusal for requests before the master has joined; nullopt: the master has joined.
  void set_unjoined(std::optional<Refusal> reason) { unjoined_ = reason; }

  // Answers the claim's tickets with its seats in the room, and ends the claim. `left`: the time
  // until the reservation ends.
  void seat(ClaimNumber number, const Room& room, Duration left, Step& step);
  // Tells the tickets of the claim that the claim has seats in a starting room, or has lost these
  // seats.
  void tell_matched(ClaimNumber number, bool has_seats, Step& step) const;
  // Refuses the tickets of the claim. The claim itself remains.
  void refuse(ClaimNumber number, Refusal reason, Step& step);
  // Refuses the tickets of the claim, and ends the claim.
  void turn_away(ClaimNumber number, Refusal reason, Step& step);
  // Returns why the room accepts no players, or nothing if it accepts players.
  [[nodiscard]] std::optional<Refusal> refusal_of(const RoomId& room) const;
  // Ends a claim that has lost all its tickets. If a worker's answer about the claim is due, the
  // claim ends after this answer.
  void withdraw(ClaimNumber number, Step& step);
  // Gives back the seats that the room's worker has reserved for the claim.
  void give_back(const RoomId& room, const Waiting& waiting, Step& step);
  // Call after the claim has asked for its own seats again. Ends the former reservation, so that
  // only `latest` remains.
  void give_back_former(const RoomId& room, const Waiting& waiting, ReservationId latest,
                        Step& step);

  [[nodiscard]] std::size_t waiting() const { return tickets_.size(); }
  // Returns the group that the ticket waits for; nothing if the ticket is already answered.
  [[nodiscard]] std::optional<WaitingGroup> waits_for(TicketId ticket) const;
  // Returns why the ticket waits; nothing if the ticket is already answered or its claim is in no
  // pool.
  [[nodiscard]] std::optional<WhyWaits> why(TicketId ticket) const;
  [[nodiscard]] std::optional<PoolClaim> pool_claim(TicketId ticket) const;
  [[nodiscard]] std::optional<ClaimNumber> claim_of(TicketId ticket) const {
    return tickets_.claim_of(ticket);
  }
  [[nodiscard]] TimePoint next_deadline() const { return tickets_.next_deadline(); }

 private:
  // REQUIRES: the rules have teams.
  [[nodiscard]] static std::string team_of(const PlayerId& player, const Waiting& waiting,
                                           const Room& room);
  // Puts a request for one room into that room's group, or returns the refusal.
  [[nodiscard]] std::optional<Refusal> enter_group_of_room(MatchRequested& request) const;
  // Returns the refusal of the request, if any. `waits`: a waiting claim that the request can join.
  [[nodiscard]] std::optional<Refusal> refusal_of(const MatchRequested& request,
                                                  std::optional<ClaimNumber> waits) const;
  // Returns a refusal if a player of the claim has too many claims or seats.
  [[nodiscard]] std::optional<Refusal> refusal_of(const wire::Claim& claim) const;
  // Returns the players of the ticket's claim that have or await a seat in another room.
  [[nodiscard]] std::vector<PlayerId> elsewhere(TicketId ticket) const;
  [[nodiscard]] Refusal reason_of(const Waiting& waiting) const;
  [[nodiscard]] Duration retry_after(Refusal reason, ClaimPlace place) const;
  void attach(ClaimNumber number, TicketId ticket, TimePoint deadline);
  void grow_older(ClaimNumber number, TimePoint since);
  void detach(TicketId ticket);
  void refuse(TicketId ticket, Refusal reason, Step& step);

  const MasterOptions& options_;
  Directory& directory_;
  GroupTable& groups_;
  Claims& claims_;
  LostSeats& lost_seats_;
  const RoomBudget& budget_;
  MasterCounters& counters_;
  Tickets tickets_;
  std::optional<Refusal> unjoined_ = Refusal::not_joined;
  bool stopping_ = false;
};

}  // namespace fixkeep::master
