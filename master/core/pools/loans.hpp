// The waiting claims of a pool that this master has lent and the holds that have them.
//
// Only the holder seats a claim on loan. The claim is not lent again until the holder has told its
// result or closed the loan or its link broke. In the last case the holder may have seated the
// claim without being able to say so. The next holder's fence shows that. It makes all orders void
// that are still on their way.
//
// A holder does not vouch for its token: only the locks know the next token. Each holder therefore
// has a floor of its own that ends with its link. A token of the far future keeps no other holder
// out. A hold that is over and gathers late decides nothing: its fence is over too.
//
// Invariant: a claim is on loan to one hold at most.
// Assumes: messages of one holder arrive in order; a broken link is noticed before a new one.
// Thread rule: a value, one owner. Bounds: the claims of the pool; `longest` a loan. After that the
// next holder gets the claim. Errors: messages of a holder's older hold do not count.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master {

class Loans {
 public:
  using Claims = std::vector<TicketId>;  // ascending
  // Longer than a hold and its workers' time to answer.
  static constexpr Duration longest = std::chrono::minutes{1};

  // The claim may be lent. REQUIRES: it is not there yet.
  void add(TicketId claim) { claims_.try_emplace(claim); }
  // It was answered or its client has hung up.
  void remove(TicketId claim) { claims_.erase(claim); }

  // A holder gathers: all that is not on loan is lent to it. Nothing: the hold is not newer than
  // the last one of this holder. It is answered without claims.
  [[nodiscard]] std::optional<Claims> lend(FencingToken hold, MasterId holder, TimePoint now);
  // A holder says that the claim has seats. If it counts the claim is off the loans. False: the
  // claim is not on loan to that hold. Give those seats back.
  [[nodiscard]] bool seated(FencingToken hold, TicketId claim);
  // The holder has said all that it had to say. Returns those that wait on.
  Claims close(FencingToken hold);
  // Returns its claims that wait on.
  Claims link_broke(MasterId holder);

  [[nodiscard]] bool lent(TicketId claim) const;

 private:
  struct Loan {
    FencingToken hold;
    MasterId holder;
    TimePoint until;
  };
  template <class Ends>
  Claims end(Ends ends);

  std::map<TicketId, std::optional<Loan>> claims_;
  std::map<MasterId, FencingToken> newest_;  // newest hold of each holder
};

}  // namespace fixkeep::master
