// The scope within which a player has at most one seat. Thread rule: a value.
#pragma once

#include <cstdint>

namespace fixkeep::master {

enum class SeatScope : std::uint8_t {
  mode,   // all rooms of the mode together
  group,  // the rooms of one group
};

}  // namespace fixkeep::master
