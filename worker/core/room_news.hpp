// Changes of a room that the masters do not know yet; see news.hpp.
// Thread rule: values. Bounds: the seats of a room. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

// A seat that was taken or came free since the last message to the masters.
struct SeatNews {
  PlayerId player;
  bool seated = false;
  MasterId told;  // the master whose reply has already reported the seat; number 0: no master
  std::uint32_t order = 0;
};

// Notes that a reply has shown the master the whole room, with all seat news before number `order`.
struct Shown {
  MasterId master;
  std::uint32_t order = 0;
  bool outdated = false;  // the room was renewed after that
};

struct RoomNews {
  bool pending = false;  // the room is on the list of rooms with news
  bool born = false;     // made since the last message to the masters
  bool renewed = false;  // new group or place: masters receive the whole room
  bool changed = false;  // phase, number of occupied seats, or whether this number is known
  std::vector<SeatNews> seats;
  std::vector<Shown> shown;
};

}  // namespace fixkeep::worker
