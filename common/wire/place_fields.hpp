// Converts a RoomPlace to Protocol Buffers and back. Internal to the codec.
//
// Thread rule: free functions. Bounds: is_valid(). Errors: get_place() returns false for a place
// out of bounds; to write one is our bug.
#pragma once

#include <optional>

#include "common/base/assert.hpp"
#include "common/wire/limits.hpp"
#include "common/wire/room_place.hpp"
#include "fixkeep.pb.h"

namespace fixkeep::wire {

inline void put_place(const RoomPlace& place, pb::RoomInfo& room) {
  FIXKEEP_ASSERT(is_valid(place), place.host);
  pb::RoomPlace& out = *room.mutable_place();
  out.set_host(place.host);
  for (const NamedPort& port : place.ports) {
    pb::NamedPort& made = *out.add_ports();
    made.set_name(port.name);
    made.set_number(port.number);
  }
}

// Returns false if the place is out of bounds. A room may have no place.
[[nodiscard]] inline bool get_place(const pb::RoomInfo& room, std::optional<RoomPlace>& out) {
  if (!room.has_place()) return true;
  const pb::RoomPlace& place = room.place();
  if (static_cast<std::size_t>(place.ports_size()) > limits::ports) return false;
  out.emplace().host = place.host();
  for (const auto& port : place.ports()) {
    if (port.number() > 0xFFFFU) return false;
    out->ports.push_back({port.name(), static_cast<std::uint16_t>(port.number())});
  }
  return is_valid(*out);
}

}  // namespace fixkeep::wire
