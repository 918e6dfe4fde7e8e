// Reads the roles and the avoided players from a match request.
//
// Thread rule: free functions. Bounds: wire::limits::party, plan::avoided_most. Errors: `complain`
// reports each wrong field once.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "master/http/match/body.hpp"
#include "master/http/match/members.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

using Complain = std::function<void(Member, std::string_view)>;

// Complains about fields for which the mode has no rule.
void refuse_company(const MatchMembers& members, const Mode& mode, const Complain& complain);
void read_company(const MatchMembers& members, const plan::Rules& rules, MatchBody& match,
                  const Complain& complain);

// Writes Claim::brings and Claim::party_brings. Returns the mistake, if any. REQUIRES: there are
// rules. The claim's party is complete.
[[nodiscard]] std::optional<MatchProblem> write_brings(MatchBody& body);

}  // namespace fixkeep::master
