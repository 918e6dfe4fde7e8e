// The place of a room: the host and ports at which players reach it. The runner of the room's game
// reports the place.
//
// Thread rule: values. Bounds: limits.hpp. Errors: none here; a receiver refuses a place if
// is_valid() is false.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/limits.hpp"

namespace fixkeep::wire {

struct NamedPort {
  std::string name;
  std::uint16_t number = 0;

  friend bool operator==(const NamedPort&, const NamedPort&) = default;
};

struct RoomPlace {
  std::string host;              // name or IP address for players; empty: the worker's address
  std::vector<NamedPort> ports;  // one or more; players get the first as `port`

  [[nodiscard]] std::uint16_t port() const { return ports.empty() ? 0 : ports.front().number; }
  friend bool operator==(const RoomPlace&, const RoomPlace&) = default;
};

// The name of the first port if no other name is given, as in Agones.
inline constexpr std::string_view main_port_name = "default";

// The name of a port that browsers reach by wss:// or https://.
inline constexpr std::string_view tls_port_name = "wss";

// The name of a nameless port: its position among the room's ports, "2" or "3". No configured name
// is a number.
[[nodiscard]] inline std::string unnamed_port(std::size_t index) {
  return std::to_string(index + 1);
}

[[nodiscard]] inline RoomPlace at_port(std::uint16_t port) {
  return {"", {{std::string{main_port_name}, port}}};
}

// True for printable ASCII without spaces: safe in answers, logs and tables.
[[nodiscard]] inline bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

[[nodiscard]] inline bool is_valid(const NamedPort& port) {
  return port.number > 0 && !port.name.empty() && port.name.size() <= limits::port_name_bytes &&
         is_plain(port.name);
}

// True if the place has at least one port, distinct names, and all parts are within bounds.
[[nodiscard]] inline bool is_valid(const RoomPlace& place) {
  const auto& ports = place.ports;
  if (ports.empty() || ports.size() > limits::ports) return false;
  if (place.host.size() > limits::address_bytes || !is_plain(place.host)) return false;
  for (auto port = ports.begin(); port != ports.end(); ++port) {
    if (!is_valid(*port)) return false;
    const auto is_same = [&](const NamedPort& other) { return other.name == port->name; };
    if (std::find_if(ports.begin(), port, is_same) != port) return false;
  }
  return true;
}

}  // namespace fixkeep::wire
