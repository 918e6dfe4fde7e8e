// RoomPorts gives rooms their ports and knows for how many more rooms there are some.
//
// The wanted ports depend on the game: one that players are told, others that have a name and
// others that follow the first one number by number. Places are a promise: they are counted in
// rooms of the game that wants most.
//
// Invariant: a port is one room's until that room gives its ports back. Fault model: other programs
// of the machine take and give back ports of the range at any time. A port is therefore looked at
// before a room gets it. A taken one is put aside for a while.
// Thread rule: one owner. Bounds: see the range. Errors: a room gets no place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/room_place.hpp"
#include "worker/runner/port_range.hpp"

namespace fixkeep::worker {

struct WantedPorts {
  std::vector<std::string> names;  // names of those beside the first
  std::uint32_t neighbours = 0;    // how many of them, the last ones, follow the first

  [[nodiscard]] std::size_t count() const { return 1 + names.size(); }
};

// Whether no other program has the port. True if that is unknown: the game finds the conflict.
[[nodiscard]] bool nobody_has(std::uint16_t port);

class RoomPorts {
 public:
  RoomPorts(std::uint16_t first, std::uint16_t last, PortRange::Usable usable = nobody_has)
      : range_(first, last, std::move(usable)) {}

  // Sets all games that may be started from now on.
  void count_for(const std::vector<WantedPorts>& games);
  // Returns how many rooms of the game that wants most could get ports as far as is known.
  [[nodiscard]] std::uint32_t places() const;
  // Returns how many ports of the range other programs had at the last looks.
  [[nodiscard]] std::size_t of_others() const { return range_.of_others(); }

  // Gives the room all wanted ports. Null if there are too few. The place is valid until it is
  // given back. REQUIRES: the room has no place.
  const wire::RoomPlace* take(RoomNumber room, const WantedPorts& wanted, TimePoint now);
  // Takes the ports of a room of an earlier run. Adds the names that an earlier version of the
  // worker has not noted. REQUIRES: the room has no place.
  const wire::RoomPlace& claim(RoomNumber room, const WantedPorts& wanted, wire::RoomPlace place);
  // False: the room had no ports.
  bool give_back(RoomNumber room);

  // The next time at which ports put aside count as free until the next look; max(): never.
  [[nodiscard]] TimePoint next_tick() const { return range_.next_tick(); }
  void tick(TimePoint now) { range_.tick(now); }

 private:
  PortRange range_;
  std::map<RoomNumber, wire::RoomPlace> rooms_;
  std::size_t most_ = 1;   // most ports that a room wants
  std::size_t block_ = 0;  // the most in a row; 0: not wanted
};

}  // namespace fixkeep::worker
