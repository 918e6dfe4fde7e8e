// The place of a room is where players reach it. Whoever runs the room's game says so.
//
// Thread rule: values. Bounds: limits.hpp. Errors: none here; the codec refuses what is out of
// bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fixkeep::wire {

struct NamedPort {
  std::string name;
  std::uint16_t number = 0;

  friend bool operator==(const NamedPort&, const NamedPort&) = default;
};

struct RoomPlace {
  std::string host;  // a name or an IP address, as players can resolve it; empty: the worker's
  std::vector<NamedPort> ports;  // at least one; players are told the first as `port`

  [[nodiscard]] std::uint16_t port() const { return ports.empty() ? 0 : ports.front().number; }
  friend bool operator==(const RoomPlace&, const RoomPlace&) = default;
};

}  // namespace fixkeep::wire
