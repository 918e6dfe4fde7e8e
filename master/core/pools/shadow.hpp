// Besides the live plans, this class makes plans with a mode's shadow rules. It only counts the
// results of these plans. The live rules still decide. A designer sees the effect of new rules on
// today's players before these rules decide anything.
//
// After each decision for a pool, its holder plans for the same claims and rooms with the shadow
// rules. The holder remembers when a shadow plan first seated each claim, and omits this claim from
// the next shadow plans. When the live plan seats a claim, the claim is counted once
// (ShadowCounts).
//
// Limits of the comparison:
//   - The rooms are those of the live plan. A seat from a shadow plan is free again for the next
//     plan. Rooms that a shadow plan orders do not exist.
//   - Claims with a shadow seat still wait in reality. A claim without a shadow seat disappears
//     when the live plan seats it, so the rest of its wait is unknown.
//   - If another master decides in between, the remembered claims are forgotten and start again. A
//     claim is not counted if its player leaves. Plans use the live plan's counts of passed-over
//     tickets.
//   - Plans are compared, not answers: a worker may refuse an order of the live plan.
//
// Invariants: 1. The class changes nothing live: all inputs are const.
//             2. The class remembers only the claims of the latest decision for each pool.
// Thread rule: one owner. Bounds: the `claims_most` oldest claims of a pool. Other claims are not
// counted. A plan costs at most work_most. It includes so few claims that claims times rooms is at
// most glances_most. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/pools/gathering.hpp"
#include "master/core/seam/shadow_counts.hpp"
#include "master/rules/plan/planner.hpp"

namespace fixkeep::master {

class Shadow {
 public:
  static constexpr std::size_t claims_most = 10'000;
  static constexpr std::uint64_t work_most = 250'000;       // a quarter of a live plan's bound
  static constexpr std::uint64_t glances_most = 2'000'000;  // claims times rooms

  // The live decision. REQUIRES: `live` is a plan for these tickets and rooms and this time. The
  // tickets are from `gathering`.
  struct Decided {
    const plan::TicketPool& tickets;  // oldest first
    const std::vector<plan::Room>& rooms;
    std::uint32_t regions = 0;  // see plan::Budget
    const plan::Decision& live;
    const Gathering& gathering;
    TimePoint now;
  };
  // REQUIRES: `rules` have the numbers, regions and teams of the live rules.
  void look(const GroupKey& pool, const plan::Rules& rules, const Decided& decided,
            ShadowCounts& counts);
  void forget(const GroupKey& pool) { pools_.erase(pool); }
  // Forgets the lender's claims: the lender's next run may use the same ids again.
  void link_broke(MasterId lender);
  [[nodiscard]] std::size_t claims() const;  // number of remembered claims in all pools

 private:
  using Spread = std::array<std::int64_t, plan::numbers_most>;
  using Spreads = std::map<TicketId, Spread>;  // spread in the room of each seated ticket
  struct Seen {
    bool counted = false;
    bool seated = false;  // a shadow plan has seated the claim
    Duration waited{};    // waiting time until that seat
    Spread spread{};      // spread of its shadow room
  };
  using ClaimKey = std::pair<MasterId, TicketId>;  // lender, and the ticket's id at the lender
  struct Known {
    ClaimKey key;
    Seen seen;
  };
  struct Claim {
    const plan::Ticket* ticket = nullptr;
    Seen* seen = nullptr;  // element of Pool::claims
  };
  using Claims = std::vector<Claim>;  // oldest first
  struct Pool {
    std::vector<Known> claims;              // ordered by key
    std::optional<Gathering::Lender> next;  // plan::Decision::next
  };

  static Spreads spreads_of(const plan::Rules& rules, const plan::TicketPool& tickets,
                            const std::vector<plan::Room>& rooms, const plan::Decision& decision);
  static ClaimKey key_of(const plan::Ticket& ticket, const Decided& decided);
  static Claims keep(Pool& pool, const Decided& decided);
  Spreads plan(Pool& pool, const plan::Rules& rules, const Claims& claims, const Decided& decided,
               ShadowCounts& counts);
  static void count(const Seen& seen, bool now, Duration waited, const Spread& live,
                    ShadowCounts& counts);

  std::map<GroupKey, Pool> pools_;
  plan::Planner planner_;
  plan::Decision plan_;
};

}  // namespace fixkeep::master
