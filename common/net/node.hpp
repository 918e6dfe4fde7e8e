// Who is on a side of a link.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "common/base/ids.hpp"

namespace fixkeep::net {

enum class Role : std::uint8_t { master = 1, worker = 2 };

// As proven by the handshake. `name` is "m3" for a master.
struct Node {
  Role role = Role::master;
  std::string name;
  Incarnation incarnation;

  friend bool operator==(const Node&, const Node&) = default;
};

}  // namespace fixkeep::net
