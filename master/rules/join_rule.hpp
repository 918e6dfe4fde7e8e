// The rule says by what a player may ask for the room of others, beside what makes their group. Its
// names are fields of a match request. Thread rule: a value. Bounds: its names. Errors: none.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace fixkeep::master {

struct JoinRule {
  bool code = false;     // of a private room
  bool room_id = false;  // of any other one

  friend bool operator==(const JoinRule&, const JoinRule&) = default;
};

[[nodiscard]] inline std::vector<std::string> names_of(const JoinRule& rule) {
  std::vector<std::string> names;
  if (rule.code) names.emplace_back("code");
  if (rule.room_id) names.emplace_back("room_id");
  return names;
}

// Names that are none of the rule's are left out.
[[nodiscard]] inline JoinRule join_rule_of(const std::vector<std::string>& names) {
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return {.code = has("code"), .room_id = has("room_id")};
}

}  // namespace fixkeep::master
