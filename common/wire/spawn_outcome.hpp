// The possible outcomes of an order for a room.
// Thread rule: values. Errors: none.
#pragma once

#include <cstdint>
#include <string_view>

namespace fixkeep::wire {

enum class SpawnOutcome : std::uint8_t {
  accepted,      // SpawnReply::room is new, or this order has already made it
  stale_token,   // this worker has promised SpawnReply::highest to another hold
  no_capacity,   // room limit, ports or memory
  unknown_mode,  // this worker has no template for the mode
  mode_paused,   // the worker starts no room of the mode now: see modes.hpp
  no_warm_room,  // SpawnRoom::only_warm, but no warm room is open
  never_warm,    // the mode's games need their group at the start
};
inline constexpr SpawnOutcome last_spawn_outcome = SpawnOutcome::never_warm;

// The word for logs.
[[nodiscard]] constexpr std::string_view to_string(SpawnOutcome outcome) {
  switch (outcome) {
    case SpawnOutcome::accepted: return "accepted";
    case SpawnOutcome::stale_token: return "stale-token";
    case SpawnOutcome::no_capacity: return "no-capacity";
    case SpawnOutcome::unknown_mode: return "unknown-mode";
    case SpawnOutcome::mode_paused: return "mode-paused";
    case SpawnOutcome::no_warm_room: return "no-warm-room";
    case SpawnOutcome::never_warm: return "never-warm";
  }
  return "";
}

}  // namespace fixkeep::wire
