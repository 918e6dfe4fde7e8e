// Facts about a room that several messages between masters and workers share (messages.hpp).
// Thread rule: values. Errors: none here; the codec checks all bounds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/request_context.hpp"
#include "common/wire/room_place.hpp"

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

// It has been ready and has not ended: players may be sent there.
[[nodiscard]] constexpr bool has_opened(RoomPhase phase) {
  return phase == RoomPhase::open || phase == RoomPhase::draining;
}

enum class CloseReason : std::uint8_t {
  none,          // it is not closed
  empty,         // stayed empty for longer than configured
  boot_failed,   // the process ended before it was ready
  crashed,       // the process ended by itself after it had been ready
  shut_down,     // the game process asked for it
  drained,       // an operator asked for it
  stopping,      // the worker shuts down
  unhealthy,     // open, then without a sign of life or an answer for too long
  boot_timeout,  // the process was not ready in time
};
inline constexpr CloseReason last_close_reason = CloseReason::boot_timeout;

// One word for each, in logs, metrics and pages.
[[nodiscard]] constexpr std::string_view to_string(CloseReason reason) {
  switch (reason) {
    case CloseReason::none: return "none";
    case CloseReason::empty: return "empty";
    case CloseReason::boot_failed: return "boot-failed";
    case CloseReason::crashed: return "crashed";
    case CloseReason::shut_down: return "shut-down";
    case CloseReason::drained: return "drained";
    case CloseReason::stopping: return "stopped";
    case CloseReason::unhealthy: return "unhealthy";
    case CloseReason::boot_timeout: return "boot-timeout";
  }
  return "";
}

// The room never opened, and its game is to blame.
[[nodiscard]] constexpr bool is_failed_boot(CloseReason reason) {
  return reason == CloseReason::boot_failed || reason == CloseReason::boot_timeout;
}

struct RoomInfo {
  RoomNumber number;
  GroupKey group;
  ModeName mode;
  RoomPhase phase = RoomPhase::starting;
  std::optional<RoomPlace> place{};  // no value: unknown yet; an open room has one
  std::uint32_t capacity = 0;
  CreationId creation;
  std::uint32_t occupied = 0;     // seats of players in the game; the others are reserved
  std::vector<PlayerId> players;  // one player for each taken seat, reserved or occupied
  WorkerTime opened_at{};         // 0 while it is starting
  // The number of present players is unavailable: `occupied` is the last known one and all taken
  // seats are kept.
  bool unknown = false;
  // Claim::brings of each of `players`; empty if no player has brought any.
  std::vector<std::string> brought{};

  friend bool operator==(const RoomInfo&, const RoomInfo&) = default;
};

struct RoomChange {
  RoomNumber number;
  RoomPhase phase = RoomPhase::starting;
  CloseReason reason = CloseReason::none;
  std::uint32_t occupied = 0;
  std::vector<PlayerId> seated;  // players seated since the last word about this room
  std::vector<PlayerId> left;    // players that have lost their seat
  WorkerTime opened_at{};        // 0 while it is starting
  bool unknown = false;          // see RoomInfo

  friend bool operator==(const RoomChange&, const RoomChange&) = default;
};

// One match request: one player or a party that sits together or not at all.
struct Claim {
  PlayerId player;
  std::vector<PlayerId> party;  // the others; usually empty
  RequestContext context{};     // context of the request, for observers
  // The player brings this by the rules of the mode. A worker keeps it with the seat and shows it
  // to masters. It does not read it.
  std::string brings{};
  // The same of each of the party. Empty: all of them bring what the player does.
  std::vector<std::string> party_brings{};

  [[nodiscard]] const std::string& brought_by(std::size_t of_party) const {
    return party_brings.empty() ? brings : party_brings.at(of_party);
  }

  [[nodiscard]] std::uint32_t seats() const { return 1 + static_cast<std::uint32_t>(party.size()); }
  friend bool operator==(const Claim&, const Claim&) = default;
};

// The request that is told of as the cause of an order: the first one with a trace or else the
// first. Null: an order without claims.
[[nodiscard]] inline const RequestContext* cause_of(const std::vector<Claim>& claims) {
  if (claims.empty()) return nullptr;
  const auto traced = std::find_if(claims.begin(), claims.end(), [](const Claim& claim) {
    return claim.context.trace.has_value();
  });
  return traced == claims.end() ? &claims.front().context : &traced->context;
}

// A room with free seats by the lock's last holder, for a successor with older news. Or a room that
// this or an earlier holder has ordered and not heard of.
struct RoomHint {
  RoomId room;  // its number is 0 if it is ordered
  ModeName mode;
  std::uint32_t capacity = 0;
  std::uint32_t free = 0;
  std::optional<CreationId> ordered;  // its order, if the room has no number yet

  friend bool operator==(const RoomHint&, const RoomHint&) = default;
};

}  // namespace fixkeep::wire
