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

// The start of a node's process in microseconds since 1970 by its own clock. It distinguishes
// processes and runs of one.
enum class StartNumber : std::uint64_t {};

[[nodiscard]] inline StartNumber start_now() {
  using std::chrono::microseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto count = std::chrono::duration_cast<microseconds>(now).count();
  return StartNumber{static_cast<std::uint64_t>(count)};
}

// A Node is what the handshake has proven. `name` is "m3" for a master.
struct Node {
  Role role = Role::master;
  std::string name;
  Incarnation incarnation;
  StartNumber start{};

  friend bool operator==(const Node&, const Node&) = default;
};

// Whether a connection of `later` replaces an open one of `earlier` of the same role and name: the
// same process has dialled again. Another process waits for the end of the earlier link. It comes
// at once for a killed process and by silence for a lost machine. A copied machine takes nothing
// away from the running one. The incarnation alone is no proof: it is public in the ids of rooms.
[[nodiscard]] inline bool replaces(const Node& later, const Node& earlier) {
  return later.start == earlier.start && later.incarnation == earlier.incarnation;
}

// "m3" as the link layer names a master. REQUIRES: a master; the handshake admits configured names
// only.
[[nodiscard]] inline MasterId master_of(const Node& node) {
  std::uint16_t number = 0;
  std::from_chars(node.name.data() + 1, node.name.data() + node.name.size(), number);
  return MasterId{number};
}

// One connection of a hub. It grows from each connection to the next even between different nodes.
enum class LinkNumber : std::uint64_t { none = 0 };

// A node as it is linked to us now.
struct Peer : Node {
  LinkNumber link = LinkNumber::none;
  // A master says "open" here or a word that is the same at masters that take the same players.
  // Empty: it says nothing as workers do.
  std::string admits{};
};
inline constexpr std::size_t admits_bytes = 64;

}  // namespace fixkeep::net
