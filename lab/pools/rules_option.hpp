// The option of `pools` that selects a mode with widening rules.
//
// Thread rule: free functions without state. Errors: a text with the change to make.
#pragma once

#include <string>

#include "client-sim/options.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

void add_rules_option(CLI::App& command, std::string& file);

// Reads the rules and sets the options that follow from them, for example the seats of a room. If
// `command` has no option for the arrival of players, they arrive one by one (poisson).
[[nodiscard]] std::string complete_rules(Options& options, const std::string& file,
                                         const CLI::App& command);

}  // namespace fixkeep::client_sim
