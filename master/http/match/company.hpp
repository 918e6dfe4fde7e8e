// The roles and the avoided players of a match request's players.
//
// Thread rule: free functions. Bounds: wire::limits::party, plan::avoided_most. Errors: `complain`
// tells each wrong field once.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "master/http/match/body.hpp"
#include "master/http/match/members.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

using Complain = std::function<void(Member, std::string_view)>;

// Complains of fields without a rule of the mode.
void refuse_company(const MatchMembers& members, const Mode& mode, const Complain& complain);
void read_company(const MatchMembers& members, const plan::Rules& rules, MatchBody& match,
                  const Complain& complain);

// Writes the brought text of each player of the claim. Returns the mistake. REQUIRES: there are
// rules. The party of the claim is complete.
[[nodiscard]] std::optional<MatchProblem> write_brings(MatchBody& body);

}  // namespace fixkeep::master
