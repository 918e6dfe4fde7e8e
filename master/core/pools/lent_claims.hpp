// The waiting claims that a master lends to the holder of a pool's lock, so that one decision sees
// those of all masters (docs/design.md, "Pools of several masters").
//
// Clocks of masters differ, so waiting times travel and not moments. Thread rule: values. Bounds:
// part_most claims a part, plan::tickets_most from all masters together. Errors: none here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/rooms.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master {

struct LentClaim {
  plan::Ticket ticket;  // its id is the lender's own; `since` says nothing
  Duration waited{};
  wire::Claim claim{};
  WorkerId avoid{};    // wire::LentClaim::avoid
  bool asked = false;  // wire::LentClaim::asked
};

// A master answers a holder that gathers with these: its claims, the oldest first, in one part or
// in several.
struct ClaimsPart {
  static constexpr std::size_t part_most = wire::limits::lent_claims;

  FencingToken hold;  // the one that has asked
  std::uint32_t index = 0;
  bool last = true;
  std::vector<LentClaim> claims;
};

}  // namespace fixkeep::master
