// A player has at most one seat in all rooms of the scope. Thread rule: a value.
#pragma once

#include <cstdint>

namespace fixkeep::master {

// A player has at most one seat in this scope.
enum class SeatScope : std::uint8_t {
  mode,   // all rooms of the mode together
  group,  // the rooms of one group
};

}  // namespace fixkeep::master
