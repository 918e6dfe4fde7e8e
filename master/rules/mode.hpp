// A game mode, and which of its players may share a room.
//
// The key of a group is made of the mode's name, the attributes that must be equal, and the
// bands that numeric attributes fall into:
//
//   duel/region=eu-west/version=1.4.22/skill=1000-1199
//
// Values are percent-encoded, so two different sets of attributes never give one key.
// Thread rule: values. Bounds: attribute_bytes a value; the key stays below
// wire::limits::group_bytes.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "master/rules/group_choice.hpp"
#include "master/rules/seat_scope.hpp"

namespace fixkeep::master {

inline constexpr std::size_t attribute_bytes = 64;
inline constexpr std::size_t values_told =
    20;  // of the allowed ones, to a client that sent another

// Cuts the whole numbers at `edges`, ascending: below the first, between two, from the last on.
struct Band {
  std::string attribute;
  std::vector<std::int64_t> edges;

  friend bool operator==(const Band&, const Band&) = default;
};

struct Mode {
  ModeName name;
  std::uint32_t capacity = 0;           // seats of a room
  std::vector<std::string> attributes;  // texts that must be equal; each is required
  std::vector<Band> bands;              // numbers that must fall into the same band; required too
  SeatScope one_seat_per = SeatScope::mode;
  // By attribute: the values that it may have. One that is not named may have any.
  std::map<std::string, std::vector<std::string>> values;

  friend bool operator==(const Mode&, const Mode&) = default;
};

// Why a request has no group: `attribute` is the culprit, `message` says what to change.
struct AttributeProblem {
  std::string attribute;
  std::string message;
};

// "lt1000", "1000-1199", "ge1200" for edges 1000 and 1200. REQUIRES: at least one edge, ascending.
[[nodiscard]] std::string band_name(const Band& band, std::int64_t value);

// The groups that a player with these attributes (a JSON object) may join, or all that is wrong
// with them. Attributes that the mode does not name are ignored: a client may send more than one
// mode needs.
[[nodiscard]] GroupChoice groups_of(const Mode& mode, const nlohmann::json& attributes,
                                    std::vector<AttributeProblem>& problems);

}  // namespace fixkeep::master
