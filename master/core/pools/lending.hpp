// Lending handles a master's own waiting claims of pools. It lends these claims to the holder of
// the pool's lock, perhaps this master itself. It receives the results and decides when a pool is
// due for a decision (docs/design.md, "Pools of several masters").
//
// A pool is due immediately when a claim is new or has lost its seats, when a seat is free again,
// or when a loan is overdue. The pool is also due when a limit for a waiting claim widens, but not
// before `pace` after the last decision.
//
// Invariant: while the place of a pool's claim is `lent`, the claim is on loan to one hold; at all
// other times it is not on loan. Assumes the same as loans.hpp. Thread rule: one owner. Bounds: at
// most as many loans as claims; at most `message_bytes` per part; at most `most_broken` loans that
// ended with a link. Errors: a message without a loan is ignored, and the seats in the message are
// given back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/pool_messages.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/claims/lost_seats.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/pools/loans.hpp"
#include "master/core/pools/told_seats.hpp"
#include "master/core/seam/step.hpp"
#include "master/core/seats/seating.hpp"

namespace fixkeep::master {

class Lending {
 public:
  static constexpr Duration pace = std::chrono::milliseconds{250};
  static constexpr std::size_t message_bytes = 1U << 20U;
  // Limit on claims that are explained although their clients have not asked.
  static constexpr std::size_t told_unasked = 64;

  // The arguments outlive the object.
  Lending(Directory& directory, GroupTable& groups, Claims& claims, Seating& seating,
          LostSeats& lost_seats)
      : directory_(directory),
        groups_(groups),
        claims_(claims),
        seating_(seating),
        lost_seats_(lost_seats) {}

  // --- messages from a holder
  [[nodiscard]] std::vector<wire::ClaimsPart> lend(const wire::Gather& gather, MasterId holder,
                                                   TimePoint now);
  void seated(const wire::ClaimsSeated& seated, Step& step);
  void closed(const wire::CloseLoan& close, Step& step);
  void link_broke(MasterId holder, Step& step);

  // A client asks why the claim waits. If the last explanation is older than explaining_pace, a
  // decision follows within `pace`. REQUIRES: the claim is known.
  void asked(ClaimNumber number, Step& step);

  // Returns whether a new decision may seat a waiting claim of this master.
  [[nodiscard]] bool due(const Group& group, TimePoint now) const;
  // Call when a seat of the pool is free again.
  void seat_freed(const GroupKey& pool);
  void forget(const GroupKey& pool) { pools_.erase(pool); }
  [[nodiscard]] bool any() const { return !pools_.empty(); }  // some pool has lent claims

 private:
  struct Pool {
    Loans loans;
    std::map<FencingToken, TimePoint> lent_at;  // key: token of the hold
    std::map<TicketId, std::uint32_t> passed;   // how often each ticket was passed over
    std::uint64_t planned_inserts = 0;          // queue inserts before the last plan
    TimePoint again_at = TimePoint::max();
    bool seat_freed = false;

    // Returns whether a holder has sent no result for too long.
    [[nodiscard]] bool overdue(TimePoint now) const;
  };

  struct Broken {  // a loan that ended with its holder's link
    std::vector<PlayerId> players;
    TimePoint until;
  };
  static constexpr std::size_t most_broken = 10'000;

  void give_back(ClaimNumber number, const wire::ClaimsSeated& seated, Step& step);
  void look_again(Pool& pool, Group& group, TimePoint at);
  void return_all(const Loans::Claims& claims, Step& step);
  // Returns the next time at which a limit for one of the claims widens; max(): never.
  [[nodiscard]] TimePoint widens(const Group& group, const Loans::Claims& claims,
                                 TimePoint now) const;

  Directory& directory_;
  GroupTable& groups_;
  Claims& claims_;
  Seating& seating_;
  LostSeats& lost_seats_;
  std::map<GroupKey, Pool> pools_;
  std::map<std::pair<MasterId, ClaimNumber>, Broken> broken_;
};

}  // namespace fixkeep::master
