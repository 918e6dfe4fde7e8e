// The members of a match request. They are taken from its JSON as the parser meets them. A tree of
// the document would be read only once.
//
// Whole numbers are whole in any notation: 3, 3.0 and 3e0 are the same.
//
// By Boost.JSON: the JSON library of everything else took a sixth of all instructions of a match.
//
// Thread rule: a free function and values. Bounds: the body. Only the part of a list is kept that
// is needed to refuse it. Errors: null if the body is no JSON or is nested deeper than 32.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "master/rules/attributes.hpp"

namespace fixkeep::master {

enum class Member : std::uint8_t {
  player_id,
  mode,
  attributes,
  party,
  wait_ms,
  invitations,
  create,
  code,
  room_id,
  latency_ms,
  roles,
  party_roles,
  avoid,
};

inline constexpr std::array<std::string_view, 13> member_names{
    "player_id", "mode",    "attributes", "party", "wait_ms",     "invitations", "create",
    "code",      "room_id", "latency_ms", "roles", "party_roles", "avoid"};

// Nothing: the value is no list.
using ListsByName = std::vector<std::pair<std::string, std::optional<std::vector<PlainValue>>>>;

struct MatchMembers {
  bool of_object = false;  // the body is a JSON object
  // These values were given. The second one of a repeated member counts.
  std::array<std::optional<PlainValue>, member_names.size()> values;
  std::optional<Attributes> attributes;                // null unless the member is an object
  std::optional<Attributes> latency_ms;                // the same, by region
  std::optional<std::vector<PlainValue>> party;        // null unless the member is a list
  std::optional<std::vector<PlainValue>> invitations;  // the same
  std::optional<std::vector<PlainValue>> roles;        // the same
  std::optional<std::vector<PlainValue>> avoid;        // the same
  std::optional<ListsByName> party_roles;              // null unless the member is an object
  std::vector<std::string> unknown;                    // names of other members

  [[nodiscard]] const std::optional<PlainValue>& operator[](Member member) const {
    return values[static_cast<std::size_t>(member)];
  }
};

[[nodiscard]] std::optional<MatchMembers> read_members(std::string_view body);

}  // namespace fixkeep::master
