// The option of `pools` that brings its players to a mode with widening rules.
//
// Thread rule: free functions without state. Errors: a text with the correction.
#pragma once

#include <string>

#include "client-sim/options.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

void add_rules_option(CLI::App& command, std::string& file);

// Reads the rules and derives other options from them: the seats of a room and the players that may
// share one. Players come one by one unless `command` was told otherwise.
[[nodiscard]] std::string complete_rules(Options& options, const std::string& file,
                                         const CLI::App& command);

}  // namespace fixkeep::client_sim
