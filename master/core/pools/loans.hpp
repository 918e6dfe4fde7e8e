// The claims of a pool that wait at this master, and their loans to holds.
//
// Only the holder seats a claim on loan. The claim can be lent again only after the holder has
// closed the loan or the holder's link has broken. After a broken link the holder may have seated
// the claim without a report. The next holder's fence shows such a seat, and makes all open orders
// void.
//
// A lender cannot check a holder's token, because only the locks know the next token. Therefore
// each holder has its own lower bound for tokens, until its link breaks. A holder with a token that
// is far too high thus blocks no other holder. An ended hold that gathers late decides nothing,
// because its fence has ended too.
//
// Invariant: a claim is on loan to one hold at most.
// Assumes: messages from one holder arrive in order; a broken link is noticed before a new link.
// Thread rule: a value, one owner. Bounds: the claims of the pool. A loan lasts at most `longest`:
// after this time the next holder gets the claim. Errors: messages about a holder's older hold are
// ignored.
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
  // Longer than the longest hold plus the workers' time to answer.
  static constexpr Duration longest = std::chrono::minutes{1};

  // Adds a claim that may be lent. REQUIRES: the claim is new.
  void add(TicketId claim) { claims_.try_emplace(claim); }
  // Call when the claim was answered or its client has hung up.
  void remove(TicketId claim) { claims_.erase(claim); }

  // Lends all claims that are not on loan yet to `holder`, which gathers claims for `hold`.
  // Returns nothing if this holder's last hold was the same or newer; the answer to `hold` then
  // contains no claims.
  [[nodiscard]] std::optional<Claims> lend(FencingToken hold, MasterId holder, TimePoint now);
  // Removes a claim for which a holder reports seats. If the claim is not on loan to `hold`,
  // returns false; then the caller gives these seats back.
  [[nodiscard]] bool seated(FencingToken hold, TicketId claim);
  // Call when the holder has sent all its results. Ends the other loans of this hold. Returns their
  // claims, which still wait.
  Claims close(FencingToken hold);
  // Ends all loans to the holder. Returns their claims, which still wait.
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
