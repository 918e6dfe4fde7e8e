// The scope of a seat says among which rooms a player has one at most. Thread rule: a value.
#pragma once

#include <cstdint>

namespace fixkeep::master {

// Where a player has one seat at most.
enum class SeatScope : std::uint8_t {
  mode,   // all rooms of the mode together
  group,  // the rooms of one group
};

}  // namespace fixkeep::master
