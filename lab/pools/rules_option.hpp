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

// Reads the rules and sets options that follow from them: the seats of a room, and the players that
// are allowed to share a room. Players arrive one by one, unless `command` has a different option.
[[nodiscard]] std::string complete_rules(Options& options, const std::string& file,
                                         const CLI::App& command);

}  // namespace fixkeep::client_sim
