// A game mode and its rule for players that may share a room.
//
// The key of a group has the mode's name, its equal attributes and the bands of its numeric
// attributes:
//
//   duel/region=eu-west/version=1.4.22/skill=1000-1199
//
// Values are percent-encoded: two different sets of attributes never give one key. The group of a
// mode with widening rules is a pool: its players are not all equal. Thread rule: values. Bounds:
// attribute_bytes a value; the key stays below wire::limits::group_bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "master/rules/attributes.hpp"
#include "master/rules/band.hpp"
#include "master/rules/group_key.hpp"
#include "master/rules/plan/brings.hpp"
#include "master/rules/plan/rules.hpp"
#include "master/rules/seat_scope.hpp"
#include "master/rules/warm_rule.hpp"

namespace fixkeep::master {

// A player may ask for the room of others by these, beside its group. The names are fields of a
// match request.
struct JoinRule {
  bool code = false;     // allows a private room's code
  bool room_id = false;  // allows any other room's id

  friend bool operator==(const JoinRule&, const JoinRule&) = default;
};

[[nodiscard]] inline std::vector<std::string> names_of(const JoinRule& rule) {
  std::vector<std::string> names;
  if (rule.code) names.emplace_back("code");
  if (rule.room_id) names.emplace_back("room_id");
  return names;
}

// Names unknown to the rule are left out.
[[nodiscard]] inline JoinRule join_rule_of(const std::vector<std::string>& names) {
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return {.code = has("code"), .room_id = has("room_id")};
}

struct Mode {
  ModeName name;
  std::uint32_t capacity = 0;           // seats of a room
  std::vector<std::string> attributes;  // texts that must be equal; each is required
  std::vector<Band> bands;              // numbers that must fall into the same band; required too
  SeatScope one_seat_per = SeatScope::mode;
  // By attribute: the values that it may have. One that is not named may have any.
  std::map<std::string, std::vector<std::string>> values;
  WarmRule warm;
  JoinRule join;
  std::shared_ptr<const plan::Rules> rules;  // null: the players of a group are all equal
  // Shadow rules or null. They are planned beside `rules` and only counted. Their numbers are the
  // same.
  std::shared_ptr<const plan::Rules> shadow;

  friend bool operator==(const Mode&, const Mode&) = default;
};

// The group of a player with these attributes, or all their mistakes. Attributes that the mode does
// not name are ignored: a client may send more than one mode needs.
[[nodiscard]] GroupKey group_of(const Mode& mode, const Attributes& attributes,
                                std::vector<AttributeProblem>& problems);

// The numbers that a player with these attributes brings to a room. Problems as above.
// REQUIRES: the mode has rules.
[[nodiscard]] plan::Brings numbers_of(const Mode& mode, const Attributes& attributes,
                                      std::vector<AttributeProblem>& problems);

// The key of the mode and its equal attributes without bands: players that mean to play together
// need not be equally good. Problems as above.
[[nodiscard]] GroupKey equal_group_of(const Mode& mode, const Attributes& attributes,
                                      std::vector<AttributeProblem>& problems);

}  // namespace fixkeep::master
