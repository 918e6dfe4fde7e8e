// A file with a mode of widening rules like the files of configs/matching. It is an entry of
// `modes` in a master's configuration, read and checked for a designer's oversights.
//
// Beyond the schema (configs/master.schema.json) these are refused, each with the needed change: a
// step that no player reaches or that widens nothing, a party larger than a team, sizes and roles
// with which no room ever starts, a rule that refuses all players for ever.
//
// Thread rule: free functions. Bounds: the schema's and a configuration file's.
// Errors: Problems, all at once.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "common/config/document.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

// configs/master.schema.json at the time of the program's build.
[[nodiscard]] std::string_view settings_schema() noexcept;

// A Mode that is returned has rules.
[[nodiscard]] std::variant<Mode, config::Problems> read_rules_file(const std::string& path);
// `name`: the text's name in problems.
[[nodiscard]] std::variant<Mode, config::Problems> read_rules(const std::string& name,
                                                              std::string_view text);

}  // namespace fixkeep::master
