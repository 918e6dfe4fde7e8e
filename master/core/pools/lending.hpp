// Lending handles a master's own waiting claims of pools. It lends them to the holder of the pool's
// lock, perhaps itself. It hears the results and says when a pool needs a decision (docs/design.md,
// "Pools of several masters").
//
// A pool is due at once when a claim is new or has lost its seats or when a seat has come free. It
// is also due when a limit of a waiting claim widens, but not before `pace` after the last
// decision.
//
// Invariant: a claim of a pool is on loan to one hold exactly while its place is `lent`. Assumes:
// as loans.hpp. Thread rule: one owner. Bounds: the claims'; message_bytes a part; most_broken
// loans. Errors: a message without a loan is ignored. Its seats are given back.
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
  // Number of claims that are told why they wait without being asked.
  static constexpr std::size_t told_unasked = 64;

  // All outlive the object.
  Lending(Directory& directory, GroupTable& groups, Claims& claims, Seating& seating,
          LostSeats& lost_seats)
      : directory_(directory),
        groups_(groups),
        claims_(claims),
        seating_(seating),
        lost_seats_(lost_seats) {}

  // --- what a holder says
  [[nodiscard]] std::vector<wire::ClaimsPart> lend(const wire::Gather& gather, MasterId holder,
                                                   TimePoint now);
  void seated(const wire::ClaimsSeated& seated, Step& step);
  void closed(const wire::CloseLoan& close, Step& step);
  void link_broke(MasterId holder, Step& step);

  // A client asks why the claim waits. Without an explanation within explaining_pace a decision
  // follows at most `pace` from now. REQUIRES: the claim is known.
  void asked(ClaimNumber number, Step& step);

  // A decision may seat a waiting claim of this master that the one before could not.
  [[nodiscard]] bool due(const Group& group, TimePoint now) const;
  // A seat of the pool has come free.
  void seat_freed(const GroupKey& pool);
  void forget(const GroupKey& pool) { pools_.erase(pool); }
  [[nodiscard]] bool any() const { return !pools_.empty(); }  // some pool has lent claims

 private:
  struct Pool {
    Loans loans;
    std::map<FencingToken, TimePoint> lent_at;  // key: the hold
    std::map<TicketId, std::uint32_t> passed;   // times that each was passed over
    std::uint64_t planned_inserts = 0;          // inserts into the queue that a plan has seen
    TimePoint again_at = TimePoint::max();
    bool seat_freed = false;

    // A holder has said nothing of its loans for too long.
    [[nodiscard]] bool overdue(TimePoint now) const;
  };

  struct Broken {  // a loan, with the link to its holder
    std::vector<PlayerId> players;
    TimePoint until;
  };
  static constexpr std::size_t most_broken = 10'000;

  void give_back(ClaimNumber number, const wire::ClaimsSeated& seated, Step& step);
  void look_again(Pool& pool, Group& group, TimePoint at);
  void return_all(const Loans::Claims& claims, Step& step);
  // The next widening of a limit of these; max() without one.
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
