// Reads files that contain one mode with widening rules, as in configs/matching, and checks them
// for a designer's oversights. Such a file is like an entry of `modes` in a master's configuration.
//
// Mistakes against the schema of a mode (mode_json.hpp) are refused. Four other mistakes are
// refused, too. Each problem says what to change:
// - a step that no player reaches or that widens nothing;
// - a party larger than a team;
// - sizes and roles with which no room can start;
// - a rule that always refuses all players.
//
// Thread rule: free functions. Bounds: those of the schema and of a configuration file.
// Errors: Problems, all in one list.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "common/config/document.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

// Reads the file. A returned Mode has rules.
[[nodiscard]] std::variant<Mode, config::Problems> read_rules_file(const std::string& path);
// Reads the mode from `text`. `name`: the name of the text in problems.
[[nodiscard]] std::variant<Mode, config::Problems> read_rules(const std::string& name,
                                                              std::string_view text);

}  // namespace fixkeep::master
