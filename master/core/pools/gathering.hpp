// A Gathering collects the waiting claims of all masters for the holder of a pool's lock.
//
// The gathering is complete when each asked master has sent its last part or has lost its link. If
// a master's link breaks, the master's loans end. For the plan, claims get new ids. These depend on
// the order of the masters, not on the order of their answers.
//
// Thread rule: a value, one owner. Bounds: plan::tickets_most claims; further claims wait for the
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

// A waiting claim that a master lends to the holder of a pool's lock. One decision thus sees the
// claims of all masters (docs/design.md, "Pools of several masters"). The masters' clocks differ,
// so messages contain durations of waits, not points in time. Bounds: part_most claims per part,
// plan::tickets_most from all masters together.
struct LentClaim {
  plan::Ticket ticket;  // with the lender's id; `since` is not set
  Duration waited{};
  wire::Claim claim{};
  WorkerId avoid{};    // wire::LentClaim::avoid
  bool asked = false;  // wire::LentClaim::asked
};

// A master's answer to a gathering holder: its claims in one or several parts, oldest first.
struct ClaimsPart {
  static constexpr std::size_t part_most = wire::limits::lent_claims;

  FencingToken hold;  // the hold that gathers
  std::uint32_t index = 0;
  bool last = true;
  std::vector<LentClaim> claims;
};

class Gathering {
 public:
  struct Lender {
    MasterId master;
    TicketId ticket;  // the lender's id
    wire::Claim claim{};
    WorkerId avoid{};
    bool asked = false;
    TimePoint since{};       // start of the wait
    std::uint32_t team = 0;  // decided team, from 1; 0: unknown
    friend bool operator==(const Lender&, const Lender&) = default;
  };
  enum class Heard : std::uint8_t {
    counted,
    ignored,  // for another hold, or from a master that is no longer asked
    broken,   // the master broke the protocol
  };

  // REQUIRES: no master is named twice; plan::tickets_most masters at most.
  void begin(FencingToken hold, const std::vector<MasterId>& masters);
  Heard heard(MasterId from, ClaimsPart&& part, TimePoint now);
  void gone(MasterId master);
  // Ends the wait. A master that has not sent its last part is left out.
  void give_up_waiting();

  [[nodiscard]] bool complete() const;
  // Returns whether the plan includes the master's claims, that is, whether the master's answer is
  // complete.
  [[nodiscard]] bool counts(MasterId master) const;
  // Returns the tickets to plan for, each once.
  [[nodiscard]] plan::TicketPool tickets() const;
  // Returns whether a client has asked why a gathered claim waits.
  [[nodiscard]] bool anybody_asked() const;
  // Returns whether the ticket is in tickets().
  [[nodiscard]] bool knows(TicketId planned) const { return lenders_.contains(planned); }
  // REQUIRES: knows(planned).
  [[nodiscard]] const Lender& lender(TicketId planned) const;
  void set_team(TicketId planned, std::uint32_t team) { lenders_.at(planned).team = team; }
  // Returns where to continue a plan that stopped before `earlier`, a claim of an earlier
  // gathering. If this claim is gone, the plan continues at the first claim that began to wait at
  // the same time or later.
  [[nodiscard]] plan::Cursor cursor(const Lender& earlier) const;

 private:
  struct Answer {
    std::size_t place = 0;  // place of the master among the asked masters
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
