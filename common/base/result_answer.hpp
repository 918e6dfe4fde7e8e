// ResultAnswer is the worker's answer to a game that says the result of its room.
// Thread rule: a value.
#pragma once

#include <cstdint>

namespace fixkeep {

enum class ResultAnswer : std::uint8_t {
  kept,       // this is the result of the room
  differs,    // the room has another result
  too_early,  // the room has not opened, or is warm: no player can have played
  not_kept,   // the journal cannot be written now, or too many rooms have results
};

}  // namespace fixkeep
