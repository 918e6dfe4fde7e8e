// The holder of a pool's lock gathers the waiting claims of all masters here, with its own.
//
// It is complete when each asked master has said its last part or is gone. If a master's link
// breaks its lent claims are its own again. Claims have ids of their own for the plan. They depend
// on the order of the masters, not of their answers.
//
// Thread rule: a value, one owner. Bounds: plan::tickets_most claims. Further ones wait for the
// next decision. Errors: Heard::broken: the caller closes the link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/rooms.hpp"
#include "master/rules/plan/decision.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master {

// The waiting claims that a master lends to the holder of a pool's lock. One decision thus sees all
// masters' claims (docs/design.md, "Pools of several masters"). Clocks of masters differ: waiting
// times travel, not moments. Bounds: part_most claims a part, plan::tickets_most from all masters
// together.
struct LentClaim {
  plan::Ticket ticket;  // its id is the lender's own; `since` says nothing
  Duration waited{};
  wire::Claim claim{};
  WorkerId avoid{};    // wire::LentClaim::avoid
  bool asked = false;  // wire::LentClaim::asked
};

// A master answers a gathering holder with these: its claims in one part or several, oldest first.
struct ClaimsPart {
  static constexpr std::size_t part_most = wire::limits::lent_claims;

  FencingToken hold;  // the one that has asked
  std::uint32_t index = 0;
  bool last = true;
  std::vector<LentClaim> claims;
};

class Gathering {
 public:
  struct Lender {
    MasterId master;
    TicketId ticket;  // its own id
    wire::Claim claim{};
    WorkerId avoid{};
    bool asked = false;
    TimePoint since{};  // its player waits
    friend bool operator==(const Lender&, const Lender&) = default;
  };
  enum class Heard : std::uint8_t {
    counted,
    ignored,  // another hold's answer, or a master that is not asked any more
    broken,   // it does not keep to the protocol
  };

  // REQUIRES: no master is named twice; plan::tickets_most masters at most.
  void begin(FencingToken hold, const std::vector<MasterId>& masters);
  Heard heard(MasterId from, ClaimsPart&& part, TimePoint now);
  void gone(MasterId master);
  // The wait ends. A master that has not said its last part is left out.
  void give_up_waiting();

  [[nodiscard]] bool complete() const;
  // The master has answered in time: its claims are planned for.
  [[nodiscard]] bool counts(MasterId master) const;
  // The plan is for these. Each ticket is there once.
  [[nodiscard]] plan::TicketPool tickets() const;
  // A client has asked why one of them waits.
  [[nodiscard]] bool anybody_asked() const;
  // It is one of those.
  [[nodiscard]] bool knows(TicketId planned) const { return lenders_.contains(planned); }
  // REQUIRES: the id of one of those.
  [[nodiscard]] const Lender& lender(TicketId planned) const;
  // Where a plan goes on that ended before this claim of an earlier gathering. If the claim is not
  // here any more: at the first one that has waited no longer.
  [[nodiscard]] plan::Cursor cursor(const Lender& earlier) const;

 private:
  struct Answer {
    std::size_t place = 0;  // place of the master among the asked ones
    std::uint32_t parts = 0;
    bool whole = false;
    std::map<TicketId, plan::Ticket> tickets;  // key: the lender's own id
  };
  [[nodiscard]] bool keeps_to_protocol(const Answer& answer, const ClaimsPart& part) const;

  FencingToken hold_;
  std::map<MasterId, Answer> answers_;
  std::map<TicketId, Lender> lenders_;  // key: the plan's id
  std::size_t count_ = 0;
};

}  // namespace fixkeep::master
