// A file with a mode whose rules widen, as configs/matching has some: read, and held against what a
// designer may have overlooked.
//
// Beside what the schema (configs/rules.schema.json) asks, these are refused, each with what to
// change: a step that nobody reaches or that widens nothing, a party larger than a team, sizes and
// roles with which no room ever starts, a rule that refuses everybody for ever.
//
// Thread rule: free functions. Bounds: those of the schema, and of a configuration file.
// Errors: Problems, all at once.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/config/document.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {

struct RuledMode {
  std::string name;
  std::vector<std::string> attributes;  // those that make a pool
  plan::Rules rules;

  friend bool operator==(const RuledMode&, const RuledMode&) = default;
};

// The text of configs/rules.schema.json.
[[nodiscard]] std::string_view rules_schema() noexcept;

[[nodiscard]] std::variant<RuledMode, config::Problems> read_rules_file(const std::string& path);
// `name` is that of the text in problems.
[[nodiscard]] std::variant<RuledMode, config::Problems> read_rules(const std::string& name,
                                                                   std::string_view text);

}  // namespace fixkeep::master
