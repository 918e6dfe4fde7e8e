// The option of `pools` by which its players come to a mode whose rules widen.
//
// Thread rule: free functions without state. Errors: a text that says what to write instead.
#pragma once

#include <string>

#include "client-sim/options.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

void add_rules_option(CLI::App& command, std::string& file);

// Reads the rules and lets them say what else options do: how many seats a room has, and which
// players may share one. Players come one by one unless `command` was told otherwise.
[[nodiscard]] std::string complete_rules(Options& options, const std::string& file,
                                         const CLI::App& command);

}  // namespace fixkeep::client_sim
