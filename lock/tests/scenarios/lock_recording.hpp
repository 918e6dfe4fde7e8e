// Plays a scenario, and writes what happened as JSON for the page of scripts/web.sh.
//
// {"masters": N,
//  "steps": [{"line": L, "at": US, "nodes": [{"state": S, "token": T, "up": [PEER, …]}, …]}, …],
//  "records": [{"step": K, "at": US, "what": W, "node": A, "peer": B,
//               "message": {"id": I, "from": A, "to": B, "what": KIND, "round": R}}, …]}
//
// Step 0 is the world before the first command. Times are invented: 40 ms a line, 20 ms a message.
// Without its rule, a `hole` scenario ends at the first line with two holders.
// Thread rule: a free function. Errors: throws ScenarioError. In WebAssembly this ends the module.
#pragma once

#include <string>

namespace fixkeep::scenarios {

[[nodiscard]] std::string lock_recording(const std::string& script, bool without_rule);

}  // namespace fixkeep::scenarios
