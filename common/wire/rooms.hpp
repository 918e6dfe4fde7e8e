// What masters and workers know of a room: the parts that several messages share (messages.hpp).
// Thread rule: values. Errors: none here; the codec refuses what is out of bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::wire {

// A point on the steady clock of a worker. Two points of one run of one worker can be compared;
// nothing else can be said of them.
using WorkerTime = std::chrono::microseconds;

enum class RoomPhase : std::uint8_t {
  starting,  // the process boots; seats can be reserved already
  open,      // players may come
  draining,  // no new players; closes when the last one has left
  closed,    // gone; the last word about a room
};

enum class CloseReason : std::uint8_t {
  none,         // not closed
  empty,        // stayed empty for longer than configured
  boot_failed,  // the process did not become ready in time, or ended before
  crashed,      // the process ended by itself after it had been ready
  shut_down,    // the game process asked for it
  drained,      // an operator asked for it
  stopping,     // the worker shuts down
  unhealthy,    // it was open, and then gave no sign of life or no answer for too long
};
inline constexpr CloseReason last_close_reason = CloseReason::unhealthy;

struct RoomInfo {
  RoomNumber number;
  GroupKey group;
  ModeName mode;
  RoomPhase phase = RoomPhase::starting;
  std::uint16_t port = 0;  // the address is the worker's
  std::uint32_t capacity = 0;
  CreationId creation;
  std::uint32_t occupied = 0;       // seats whose player is in the game; the others are reserved
  std::vector<PlayerHash> players;  // one for each seat taken, reserved or occupied
  WorkerTime opened_at{};           // 0 while it is starting

  friend bool operator==(const RoomInfo&, const RoomInfo&) = default;
};

struct RoomChange {
  RoomNumber number;
  RoomPhase phase = RoomPhase::starting;
  CloseReason reason = CloseReason::none;
  std::uint32_t occupied = 0;
  std::vector<PlayerHash> seated;  // players who got a seat since the last word about this room
  std::vector<PlayerHash> left;    // players whose seat is free again
  WorkerTime opened_at{};          // 0 while it is starting

  friend bool operator==(const RoomChange&, const RoomChange&) = default;
};

// One match request: one player, or a party that sits together or not at all.
struct Claim {
  PlayerId player;
  std::vector<PlayerId> party;  // the others; usually empty

  [[nodiscard]] std::uint32_t seats() const { return 1 + static_cast<std::uint32_t>(party.size()); }
  friend bool operator==(const Claim&, const Claim&) = default;
};

// A room that the lock's last holder knew to have seats, for a successor whose own news of it is
// late; or one that it, or a holder before, has ordered and not heard of.
struct RoomHint {
  RoomId room;  // its number is 0 if it is ordered
  ModeName mode;
  std::uint32_t capacity = 0;
  std::uint32_t free = 0;
  std::optional<CreationId> ordered;  // by which order, if the room has no number yet

  friend bool operator==(const RoomHint&, const RoomHint&) = default;
};

}  // namespace fixkeep::wire
