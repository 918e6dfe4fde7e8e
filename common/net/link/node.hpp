// The nodes at the two ends of a link.
#pragma once

#include <charconv>
#include <chrono>
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

// "m3" as the link layer names a master. REQUIRES: a master; the handshake admits configured names
// only.
[[nodiscard]] inline MasterId master_of(const Node& node) {
  std::uint16_t number = 0;
  std::from_chars(node.name.data() + 1, node.name.data() + node.name.size(), number);
  return MasterId{number};
}

// One connection of a hub: grows from each connection to the next, also between different nodes.
enum class LinkNumber : std::uint64_t { none = 0 };

// A node as it is linked to us now.
struct Peer : Node {
  LinkNumber link = LinkNumber::none;
  // It dials us again after at most so long; 0: it does not dial us, or did not say.
  std::chrono::milliseconds redial_most{0};
};

}  // namespace fixkeep::net
