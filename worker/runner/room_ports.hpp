// RoomPorts gives rooms their ports, and counts the rooms for which there are free ports.
//
// A game determines its ports: one port for players, other named ports, and named ports that must
// directly follow the first port. Masters rely on the number of places. Therefore places() assumes
// that each room is of the game that wants most ports.
//
// Invariant: a port belongs to one room until that room gives its ports back. Fault model: at any
// time other programs of the machine take and release ports of the range. Therefore a port is
// checked before a room gets it. A port in use is put aside for a while.
// Thread rule: one owner.
// Bounds: see the range. Errors: a room gets no place.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/room_place.hpp"
#include "worker/runner/port_range.hpp"

namespace fixkeep::worker {

struct WantedPorts {
  std::vector<std::string> names;  // names of the ports after the first
  std::uint32_t neighbours = 0;    // number of ports at the end of `names` that directly follow the
                                   // first port

  [[nodiscard]] std::size_t count() const { return 1 + names.size(); }
};

// Returns true if no other program uses the port, or if this is unknown. If it is unknown, the game
// itself is going to notice whether the port is free.
[[nodiscard]] bool nobody_has(std::uint16_t port);

class RoomPorts {
 public:
  RoomPorts(std::uint16_t first, std::uint16_t last, PortRange::Usable usable = nobody_has)
      : range_(first, last, std::move(usable)) {}

  // Sets the games that may be started from now on.
  void count_for(const std::vector<WantedPorts>& games);
  // Returns the number of rooms for which there are free ports, as far as is known. Assumes that
  // each room is of the game that wants most ports.
  [[nodiscard]] std::uint32_t places() const;
  // Returns how many ports of the range were used by other programs at the last check.
  [[nodiscard]] std::size_t of_others() const { return range_.of_others(); }

  // Gives the room all wanted ports. Returns null if there are too few. The returned place is valid
  // until give_back(). REQUIRES: the room has no place.
  const wire::RoomPlace* take(RoomNumber room, const WantedPorts& wanted, TimePoint now);
  // Takes the ports for a room of an earlier run. Adds the ports' names if an earlier version of
  // the worker did not note them. REQUIRES: the room has no place.
  const wire::RoomPlace& claim(RoomNumber room, const WantedPorts& wanted, wire::RoomPlace place);
  // Returns false if the room had no ports.
  bool give_back(RoomNumber room);

  // Returns the time at which the next port that was put aside is free again. max(): never.
  [[nodiscard]] TimePoint next_tick() const { return range_.next_tick(); }
  void tick(TimePoint now) { range_.tick(now); }

 private:
  PortRange range_;
  std::map<RoomNumber, wire::RoomPlace> rooms_;
  std::size_t most_ = 1;   // highest number of ports that a room may want
  std::size_t block_ = 0;  // longest row of ports that a room may want; 0: none
};

}  // namespace fixkeep::worker
