// From a request to its answer: each ticket is answered once unless its client has hung up. The
// answer is the seats of its claim or a refusal.
//
// An unwanted claim goes unless a worker is being asked for it. Then the answer finds a claim
// without tickets. The seats are given back.
//
// Thread rule: one owner. Bounds: MasterOptions::waiting_requests in all and for each group;
// most_claims_of_player for every player that a claim names; most_tickets_of_claim;
// most_seats_of_player. A party is handled together with all claims that share a member.
// Errors: Refused.
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
  // Most different claims that may name one player at once, alone or in a party.
  static constexpr std::size_t most_claims_of_player = 16;
  // Requests that may wait at once for the very same.
  static constexpr std::size_t most_tickets_of_claim = 256;
  // A player with this many seats in all groups gets no further one.
  static constexpr std::size_t most_seats_of_player = 64;

  // All outlive the object.
  Requests(const MasterOptions& options, Directory& directory, GroupTable& groups, Claims& claims,
           LostSeats& lost_seats, const RoomBudget& budget, MasterCounters& counters)
      : options_(options),
        directory_(directory),
        groups_(groups),
        claims_(claims),
        lost_seats_(lost_seats),
        budget_(budget),
        counters_(counters) {}

  // A claim to be placed, or nothing if the request was refused or shares the seats of a waiting
  // claim. REQUIRES: the ticket was never used before.
  [[nodiscard]] std::optional<ClaimNumber> admit(MatchRequested&& request, Step& step);
  void cancel(TicketId ticket, Step& step);  // no effect on an answered ticket
  void expire(Step& step);
  // Refuses all present and later requests.
  void stop(Step& step);
  // Why requests get no room before the master has joined; nothing: it has.
  void set_unjoined(std::optional<Refusal> reason) { unjoined_ = reason; }

  // Answers the claim with its seats in the room and ends it. `left`: the rest of their time.
  void seat(ClaimNumber number, const Room& room, Duration left, Step& step);
  // Refuses the tickets of the claim. The claim is still there.
  void refuse(ClaimNumber number, Refusal reason, Step& step);
  // The same, and ends the claim.
  void turn_away(ClaimNumber number, Refusal reason, Step& step);
  // Why the room takes no players; null: it does.
  [[nodiscard]] std::optional<Refusal> refusal_of(const RoomId& room) const;
  // The claim is not wanted any more.
  void withdraw(ClaimNumber number, Step& step);
  // Gives back the seats that the worker of the room has reserved for the claim.
  void give_back(const RoomId& room, const Waiting& waiting, Step& step);
  // The claim asked its own room once more. Its seats stay, under the latest reservation alone.
  void give_back_former(const RoomId& room, const Waiting& waiting, ReservationId latest,
                        Step& step);

  [[nodiscard]] std::size_t waiting() const { return tickets_.size(); }
  // Nothing if the ticket was answered in the meantime.
  [[nodiscard]] std::optional<WaitingGroup> waits_for(TicketId ticket) const;
  // The same, or the claim is of no pool.
  [[nodiscard]] std::optional<WhyWaits> why(TicketId ticket) const;
  [[nodiscard]] std::optional<PoolClaim> pool_claim(TicketId ticket) const;
  [[nodiscard]] std::optional<ClaimNumber> claim_of(TicketId ticket) const {
    return tickets_.claim_of(ticket);
  }
  [[nodiscard]] TimePoint next_deadline() const { return tickets_.next_deadline(); }

 private:
  // A request for one room joins its group, or gets the reason why not.
  [[nodiscard]] std::optional<Refusal> enter_group_of_room(MatchRequested& request) const;
  // `waits`: the claim that wants the same.
  [[nodiscard]] std::optional<Refusal> refusal_of(const MatchRequested& request,
                                                  std::optional<ClaimNumber> waits) const;
  // The reason against a new claim by the present claims and seats of its players.
  [[nodiscard]] std::optional<Refusal> refusal_of(const wire::Claim& claim) const;
  [[nodiscard]] Refusal reason_of(const Waiting& waiting) const;
  [[nodiscard]] Duration retry_after(Refusal reason, ClaimPlace place) const;
  void attach(ClaimNumber number, TicketId ticket, TimePoint deadline);
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
