// Which waiting claims of a pool this master has lent to which hold of the pool's lock.
//
// A claim that is on loan is the holder's to seat: it is lent to nobody else until the holder has
// told what became of it, has closed the loan, or the link to it broke. Then the holder may have
// seated the claim without being able to say so. The next holder is shown that by its fence, which
// also makes void whatever is still on its way.
//
// Invariant: a claim is on loan to one hold at most.
// Assumes: messages of one holder arrive in order; a broken link is noticed before a new one.
// Thread rule: a value, one owner. Bounds: the claims of the pool.
// Errors: what an older hold says does not count.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::master {

class Loans {
 public:
  using Claims = std::vector<TicketId>;  // ascending

  // The claim may be lent. REQUIRES: it is not there yet.
  void add(TicketId claim) { claims_.try_emplace(claim); }
  // It was answered, or its client has hung up.
  void remove(TicketId claim) { claims_.erase(claim); }

  // A holder gathers: all that is not on loan is lent to it. Nothing: the hold is not newer than
  // one that has gathered before, and is answered without claims.
  [[nodiscard]] std::optional<Claims> lend(FencingToken hold, MasterId holder);
  // A holder says that the claim has seats. If it counts, the claim is off the loans. False: the
  // claim is not on loan to that hold, so those seats are to be given back.
  [[nodiscard]] bool seated(FencingToken hold, TicketId claim);
  // The holder has said all that it had to say. Returns those that wait on.
  Claims close(FencingToken hold);
  // Returns those that it had, and that wait on.
  Claims link_broke(MasterId holder);

  [[nodiscard]] bool lent(TicketId claim) const;

 private:
  struct Loan {
    FencingToken hold;
    MasterId holder;
  };
  template <class Ends>
  Claims end(Ends ends);

  std::map<TicketId, std::optional<Loan>> claims_;
  FencingToken newest_;
};

}  // namespace fixkeep::master
