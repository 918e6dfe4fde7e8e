// Shadow rules of a mode are planned beside the live ones and only counted. A designer sees their
// effect on today's players before they decide anything.
//
// After each decision for a pool its holder plans for the same claims and rooms with the shadow
// rules. It remembers when a shadow plan first seated each claim. Later plans leave the claim out.
// When the live plan seats a claim it is counted once (ShadowCounts).
//
// It cannot know:
//   - Rooms are the live plan's. A seat given by a shadow plan is free again for the next one. Its
//     ordered rooms do not exist.
//   - Claims that it has seated still wait in truth. Claims that it has not seated are gone once
//     the live plan seats them. The rest of their wait is unknown.
//   - A claim that another master decides for in between is forgotten and starts anew. A claim is
//     not counted at all if its player leaves. The number of times that a ticket was passed over is
//     the live plan's.
//   - Plans are compared, not answers: a worker may refuse the live plan's wish.
//
// Invariants: 1. It changes nothing live: it takes everything as const.
//             2. It remembers the claims of the latest decision of each pool and no others.
// Thread rule: one owner. Bounds: the oldest claims_most claims of a pool. Others are not counted.
// A plan has a work of work_most. It takes only the claims that glances_most can fill into rooms.
// Errors: none.
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
  static constexpr std::uint64_t work_most = 250'000;       // a quarter of a live plan's
  static constexpr std::uint64_t glances_most = 2'000'000;  // claims times rooms

  // The live decision was this. REQUIRES: `live` is a plan for these tickets and rooms and this
  // time. The tickets are of the gathering.
  struct Decided {
    const plan::TicketPool& tickets;  // the oldest first
    const std::vector<plan::Room>& rooms;
    std::uint32_t regions = 0;  // see plan::Budget
    const plan::Decision& live;
    const Gathering& gathering;
    TimePoint now;
  };
  // REQUIRES: the numbers, regions and teams of the rules equal the live ones.
  void look(const GroupKey& pool, const plan::Rules& rules, const Decided& decided,
            ShadowCounts& counts);
  void forget(const GroupKey& pool) { pools_.erase(pool); }
  // The next run of this master gives its claims the same ids.
  void link_broke(MasterId lender);
  [[nodiscard]] std::size_t claims() const;  // remembered claims of all pools

 private:
  using Spread = std::array<std::int64_t, plan::numbers_most>;
  using Spreads = std::map<TicketId, Spread>;  // spread in the room of each seated ticket
  struct Seen {
    bool counted = false;
    bool seated = false;  // a shadow plan seated it
    Duration waited{};    // waiting time until that seat
    Spread spread{};      // spread of its shadow room
  };
  using ClaimKey = std::pair<MasterId, TicketId>;  // the lender, and its own id
  struct Known {
    ClaimKey key;
    Seen seen;
  };
  struct Claim {
    const plan::Ticket* ticket = nullptr;
    Seen* seen = nullptr;  // element of Pool::claims
  };
  using Claims = std::vector<Claim>;  // the oldest first
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
