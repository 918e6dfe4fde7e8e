// The scope of a seat says in which rooms together a player has at most one seat. Thread rule: a
// value.
#pragma once

#include <cstdint>

namespace fixkeep::master {

// The rooms in which together a player has at most one seat.
enum class SeatScope : std::uint8_t {
  mode,   // all rooms of the mode together
  group,  // the rooms of one group
};

}  // namespace fixkeep::master
