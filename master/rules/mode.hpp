// A game mode, with its rule that says which players may share a room.
//
// The key of a group contains the mode's name, the equal attributes and the bands of numeric
// attributes:
//
//   duel/region=eu-west/version=1.4.22/skill=1000-1199
//
// Values are percent-encoded: two different sets of attributes never give one key. The group of a
// mode with widening rules is a pool: its players are not all equal. Thread rule: values. Bounds:
// attribute_bytes per value; the key stays below wire::limits::group_bytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/newcomers.hpp"
#include "master/rules/attributes.hpp"
#include "master/rules/band.hpp"
#include "master/rules/group_key.hpp"
#include "master/rules/plan/brings.hpp"
#include "master/rules/plan/rules.hpp"
#include "master/rules/seat_scope.hpp"
#include "master/rules/warm_rule.hpp"

namespace fixkeep::master {

// The fields of a match request with which a player may request one certain room, instead of any
// room of its group.
struct JoinRule {
  bool code = false;     // allows a private room's code
  bool room_id = false;  // allows the id of any other room

  friend bool operator==(const JoinRule&, const JoinRule&) = default;
};

[[nodiscard]] inline std::vector<std::string> names_of(const JoinRule& rule) {
  std::vector<std::string> names;
  if (rule.code) names.emplace_back("code");
  if (rule.room_id) names.emplace_back("room_id");
  return names;
}

struct Mode {
  ModeName name;
  std::uint32_t capacity = 0;           // seats of a room
  std::vector<std::string> attributes;  // required texts that must be equal
  std::vector<Band> bands;              // required numbers that must fall into the same band
  SeatScope one_seat_per = SeatScope::mode;
  // The allowed values by attribute. An attribute that is not listed may have any value.
  std::map<std::string, std::vector<std::string>> values;
  WarmRule warm;
  JoinRule join;
  Newcomers newcomers = Newcomers::always;
  Duration newcomers_for{};                  // see Admission::lasts
  std::shared_ptr<const plan::Rules> rules;  // null: all players of a group are equal
  // Shadow rules, or null. Masters plan with them too, but only count the results. Both rules have
  // the same numbers.
  std::shared_ptr<const plan::Rules> shadow;

  friend bool operator==(const Mode&, const Mode&) = default;
};

// Returns the group of a player with these attributes, or adds all mistakes to `problems`.
// Attributes that the mode does not name are ignored, because a client is allowed to send more than
// a mode needs.
[[nodiscard]] GroupKey group_of(const Mode& mode, const Attributes& attributes,
                                std::vector<AttributeProblem>& problems);

// Returns the numbers of a player with these attributes. Reports mistakes in the same way as
// group_of(). REQUIRES: the mode has rules.
[[nodiscard]] plan::Brings numbers_of(const Mode& mode, const Attributes& attributes,
                                      std::vector<AttributeProblem>& problems);

// Returns the key of the mode and the attributes that must be equal. The key contains no bands:
// players who choose to play together need no similar skill. Reports mistakes in the same way as
// group_of().
[[nodiscard]] GroupKey equal_group_of(const Mode& mode, const Attributes& attributes,
                                      std::vector<AttributeProblem>& problems);

}  // namespace fixkeep::master
