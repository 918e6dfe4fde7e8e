// The nodes at the two ends of a link.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>

#include "common/base/ids.hpp"

namespace fixkeep::net {

enum class Role : std::uint8_t { master = 1, worker = 2 };

// The start time of a node's process in microseconds since 1970, by the node's own clock. This time
// distinguishes processes, and also the runs of one node.
enum class StartNumber : std::uint64_t {};

[[nodiscard]] inline StartNumber start_now() {
  using std::chrono::microseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto count = std::chrono::duration_cast<microseconds>(now).count();
  return StartNumber{static_cast<std::uint64_t>(count)};
}

// A Node has the facts that the handshake has proven. The `name` of a master is like "m3".
struct Node {
  Role role = Role::master;
  std::string name;
  Incarnation incarnation;
  StartNumber start{};

  friend bool operator==(const Node&, const Node&) = default;
};

// Returns true if a connection of `later` replaces an open connection of `earlier` with the same
// role and name. Then both belong to the same process, which has dialled again. Another process
// must wait until the earlier link ends. The link of a killed process ends immediately. The link of
// a lost machine ends after a time of silence. So a copy of a machine cannot take links from the
// original machine. The incarnation alone is no proof, because public room ids contain it.
[[nodiscard]] inline bool replaces(const Node& later, const Node& earlier) {
  return later.start == earlier.start && later.incarnation == earlier.incarnation;
}

// Converts the link layer's name for a master ("m3") to its id. REQUIRES: a master; the handshake
// admits configured names only.
[[nodiscard]] inline MasterId master_of(const Node& node) {
  std::uint16_t number = 0;
  std::from_chars(node.name.data() + 1, node.name.data() + node.name.size(), number);
  return MasterId{number};
}

// The number of a hub's connection. Each new connection, to any node, gets a higher number.
enum class LinkNumber : std::uint64_t { none = 0 };

// A node with a current link to this node.
struct Peer : Node {
  LinkNumber link = LinkNumber::none;
  // Sent by masters: "open", or a word that is the same at all masters that admit the same players.
  // Empty for workers.
  std::string admits{};
};
inline constexpr std::size_t admits_bytes = 64;

}  // namespace fixkeep::net
