// The members of a match request, stored while the parser reads the JSON. No document tree is made,
// because it would be read only once.
//
// Whole numbers are equal in any notation: 3, 3.0 and 3e0.
//
// Uses Boost.JSON: with the project's other JSON library, the parsing took a sixth of all
// instructions for a match request.
//
// Thread rule: a free function and values. Bounds: the body. If a list is too long, only the part
// that is needed for the refusal is stored. Errors: null if the body is no JSON or is nested deeper
// than 32.
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
  ticket,
  backfill,
};

inline constexpr std::array<std::string_view, 15> member_names{
    "player_id",   "mode",        "attributes", "party",   "wait_ms",
    "invitations", "create",      "code",       "room_id", "latency_ms",
    "roles",       "party_roles", "avoid",      "ticket",  "backfill"};

// For each name: its list, or nullopt if the value is no list.
using ListsByName = std::vector<std::pair<std::string, std::optional<std::vector<PlainValue>>>>;

struct MatchMembers {
  bool of_object = false;  // the body is a JSON object
  // The given values. If a member is repeated, its last value is valid.
  std::array<std::optional<PlainValue>, member_names.size()> values;
  std::optional<Attributes> attributes;          // null if the value is not an object
  std::optional<Attributes> latency_ms;          // by region; null if the value is not an object
  std::optional<std::vector<PlainValue>> party;  // null if the value is not a list
  std::optional<std::vector<PlainValue>> invitations;  // null if the value is not a list
  std::optional<std::vector<PlainValue>> roles;        // null if the value is not a list
  std::optional<std::vector<PlainValue>> avoid;        // null if the value is not a list
  std::optional<ListsByName> party_roles;              // null if the value is not an object
  std::vector<std::string> unknown;                    // names of other members

  [[nodiscard]] const std::optional<PlainValue>& operator[](Member member) const {
    return values[static_cast<std::size_t>(member)];
  }
};

[[nodiscard]] std::optional<MatchMembers> read_members(std::string_view body);

}  // namespace fixkeep::master
