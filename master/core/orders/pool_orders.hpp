// PoolOrders is a holder's use of a pool's lock. The holder gathers the waiting claims of all
// masters and plans for them. The holder asks rooms for seats and orders new rooms. Then it reports
// to each master the result for that master's claims (docs/design.md, "Pools of several masters").
//
//   begin      each master is asked to lend its claims          gathered, or `patience` is over
//   decide     after the fence, which shows what the players    Hold counts its questions
//              of all rooms have brought                        as orders
//   answered   masters are told of seats as workers grant them  the last answer closes the loans
//
// The pool's Hold (hold.hpp) counts a request for seats as an order. The lock is released when all
// these requests and orders are answered. A missing answer makes the lock value uncertain. The
// decision then continues without the lock until all answers have arrived. Until then this master
// does not acquire the pool's lock again.
//
// Invariants: 1. A decision follows a complete fence of its own hold. Its messages contain the
//                fence.
//             2. For each claim, a decision asks at most one room.
//             3. Each loan to this master ends when the master closes it or the link breaks.
// Thread rule: one owner. Bounds: plan::tickets_most claims, plan::rooms_most rooms per decision,
// plan::Budget. Errors: the link of a master that breaks the protocol is closed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/pool_messages.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/groups/questions.hpp"
#include "master/core/hold/hold_events.hpp"
#include "master/core/orders/room_orders.hpp"
#include "master/core/pools/gathering.hpp"
#include "master/core/pools/lending.hpp"
#include "master/core/pools/pace.hpp"
#include "master/core/pools/shadow.hpp"
#include "master/core/pools/told_seats.hpp"
#include "master/core/seam/settings.hpp"
#include "master/core/seam/step.hpp"
#include "master/rules/plan/planner.hpp"

namespace fixkeep::master {

class PoolOrders {
 public:
  // A holder waits this long for the claims of other masters.
  static constexpr Duration patience = std::chrono::milliseconds{500};

  // The arguments outlive the object.
  PoolOrders(const MasterOptions& options, Directory& directory, GroupTable& groups, Claims& claims,
             Questions& questions, RoomOrders& orders, Lending& lending, LostSeats& lost_seats,
             MasterCounters& counters)
      : options_(options),
        directory_(directory),
        groups_(groups),
        claims_(claims),
        questions_(questions),
        orders_(orders),
        lending_(lending),
        lost_seats_(lost_seats),
        counters_(counters) {
    renew_shadows({});
  }
  // Takes the new shadow rules from the options. `before`: the former shadow rules. The counts of a
  // mode with changed rules start from zero again.
  void renew_shadows(const ShadowRules& before);

  // --- the other masters
  void peer_up(MasterId peer, Step& step);
  void peer_down(MasterId peer, Step& step);
  void said(MasterId peer, wire::PoolMessage&& message, Step& step);

  // --- the hold. REQUIRES: the group is a pool.
  void begin(Group& pool, FencingToken hold, Step& step);
  // Returns whether the hold no longer waits for lent claims.
  [[nodiscard]] bool gathered(const Group& pool, TimePoint now);
  // Returns whether the hold still has to decide.
  [[nodiscard]] bool undecided(const Group& pool) const;
  // Returns whether this master has begun a decision for the pool and not closed it yet, with or
  // without the lock.
  [[nodiscard]] bool busy(const Group& pool) const { return decisions_.contains(pool.key); }
  [[nodiscard]] bool any() const { return !decisions_.empty() || lending_.any(); }
  [[nodiscard]] PoolPace& pace() { return pace_; }
  // Makes the decision. Returns how many questions it sent: requests for seats plus orders for
  // rooms.
  std::uint32_t decide(Group& pool, const hold::OrderRooms& orders, Step& step);
  void hold_ended(const Group& pool, Step& step);
  void forget(const GroupKey& pool) {
    goes_on_at_.erase(pool);
    explained_at_.erase(pool);
    pace_.forget(pool);
    shadow_.forget(pool);
    lending_.forget(pool);
  }

  // --- answers. Handles the answer to a pool's request for seats. Returns false if it is invalid.
  [[nodiscard]] bool answered(const QuestionAbout<SeatQuestion>& question,
                              const wire::SeatReply& reply, Step& step);
  void room_started(const QuestionAbout<OrderQuestion>& question, const RoomId& room,
                    const wire::SpawnReply& reply, const std::vector<bool>& reserved, Step& step);
  // Call if the lent claims got no seats: no room was started, or it is unknown whether one was.
  void not_served(const Group& pool, const std::vector<TicketId>& lent, Step& step);

 private:
  struct Decision {
    FencingToken hold;
    Gathering gathering;
    TimePoint gather_until;
    bool decided = false;
    std::uint32_t unanswered = 0;
    std::map<MasterId, wire::CloseLoan> closes;  // one message for each asked master
  };
  struct Seats {  // seats that were requested in one room
    std::vector<wire::Claim> claims;
    std::vector<TicketId> lent;
    std::uint32_t seats = 0;
  };
  using Asks = std::map<RoomId, Seats>;

  void heard(MasterId peer, const wire::ClaimsPart& part, Step& step);
  void hear_part(Decision& decision, MasterId from, const wire::ClaimsPart& part, Step& step);
  void tell(MasterId lender, wire::PoolMessage&& message, Step& step);
  // `about`: a SeatQuestion or an OrderQuestion.
  template <class About>
  void tell_seated(const Group& pool, const About& about, const std::vector<bool>& reserved,
                   wire::ClaimsSeated&& seated, Step& step);
  void one_answered(const GroupKey& pool, Step& step);
  void close(const GroupKey& pool, Step& step);

  // Returns the claims without seats, to plan for. If all players of a claim have seats in one
  // room, adds the claim to `asks` for this room. If a player has several claims, at one master or
  // several, the oldest claim is served first. The player's other claims wait, and block no other
  // player.
  [[nodiscard]] plan::TicketPool to_plan(const Group& pool, Decision& decision, TimePoint now,
                                         Asks& asks);
  void explain(const Group& pool, Decision& decision, const plan::TicketPool& tickets,
               const std::vector<plan::Room>& rooms, std::uint32_t regions, TimePoint now);
  void add(Seats& seats, const Group& pool, Gathering& gathering, TicketId id,
           std::optional<std::uint32_t> team, TimePoint now) const;
  [[nodiscard]] std::vector<RoomOrders::PoolRoom> planned_rooms(const Group& pool,
                                                                Gathering& gathering,
                                                                TimePoint now) const;
  void ask(Group& pool, const RoomId& room, Seats&& seats, const hold::OrderRooms& orders,
           Step& step);

  const MasterOptions& options_;
  Directory& directory_;
  GroupTable& groups_;
  Claims& claims_;
  Questions& questions_;
  RoomOrders& orders_;
  Lending& lending_;
  LostSeats& lost_seats_;
  MasterCounters& counters_;
  std::set<MasterId> peers_;
  ToldSeats told_seats_;
  std::map<GroupKey, Decision> decisions_;
  std::map<GroupKey, Gathering::Lender> goes_on_at_;  // plan::Decision::next
  std::map<GroupKey, TimePoint> explained_at_;  // time of the last explanation of the oldest claims
  PoolPace pace_;
  plan::Planner planner_;
  plan::Decision plan_;
  Shadow shadow_;
};

}  // namespace fixkeep::master
