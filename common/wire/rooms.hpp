// Descriptions of rooms and claims, used in several messages between masters and workers
// (messages.hpp).
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
#include "common/base/newcomers.hpp"
#include "common/wire/match.hpp"
#include "common/wire/request_context.hpp"
#include "common/wire/room_place.hpp"

namespace fixkeep::wire {

// A point on a worker's steady clock. Compare only points from one run of one worker.
using WorkerTime = std::chrono::microseconds;

enum class RoomPhase : std::uint8_t {
  starting,  // the process boots; seats can already be reserved
  open,      // accepts players
  draining,  // accepts no new players; closes when the last has left
  closed,    // final
};

// True if the room has been ready and has not ended: players may be sent there.
[[nodiscard]] constexpr bool has_opened(RoomPhase phase) {
  return phase == RoomPhase::open || phase == RoomPhase::draining;
}

enum class CloseReason : std::uint8_t {
  none,          // not closed
  empty,         // stayed empty for longer than configured
  boot_failed,   // the process ended before it was ready
  crashed,       // the process exited after it was ready
  shut_down,     // the game process requested this
  drained,       // an operator requested this
  stopping,      // the worker shuts down
  unhealthy,     // opened, then gave no sign of life or answer for too long
  boot_timeout,  // the process was not ready in time
};
inline constexpr CloseReason last_close_reason = CloseReason::boot_timeout;

// The word for logs, metrics and pages.
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

// True if the match of a room ends together with the room: the room had opened, or was drained.
// Otherwise the match gets another room.
[[nodiscard]] constexpr bool ends_match(CloseReason reason, WorkerTime opened_at) {
  return opened_at != WorkerTime{} || reason == CloseReason::drained;
}

// True if the room never opened, and its game was the cause.
[[nodiscard]] constexpr bool is_failed_boot(CloseReason reason) {
  return reason == CloseReason::boot_failed || reason == CloseReason::boot_timeout;
}

struct RoomInfo {
  RoomNumber number;
  GroupKey group;
  ModeName mode;
  RoomPhase phase = RoomPhase::starting;
  std::optional<RoomPlace> place{};  // no value: not known yet; an open room has a place
  std::uint32_t capacity = 0;
  CreationId creation;
  std::uint32_t occupied = 0;     // seats of players in the game; other taken seats are reserved
  std::vector<PlayerId> players;  // one for each taken seat (reserved or occupied)
  WorkerTime opened_at{};         // 0 while it is starting
  // True if the number of present players is unavailable: `occupied` is then the last known number,
  // and all taken seats are kept.
  bool unknown = false;
  // The value Claim::brings of each player in `players`; empty if all these values are empty.
  std::vector<std::string> brought{};
  std::optional<MatchFacts> match{};  // set if the group is a match; without its metadata
  RoomStage stage = RoomStage::gathering;
  Wants wants{};  // wants that are not filled yet; empty: the room takes any players of its stage

  friend bool operator==(const RoomInfo&, const RoomInfo&) = default;
};

struct RoomChange {
  RoomNumber number;
  RoomPhase phase = RoomPhase::starting;
  CloseReason reason = CloseReason::none;
  std::uint32_t occupied = 0;
  std::vector<PlayerId> seated;  // players seated since the last report about this room
  std::vector<PlayerId> left;    // players that lost their seat since then
  WorkerTime opened_at{};        // 0 while it is starting
  bool unknown = false;          // see RoomInfo
  RoomStage stage = RoomStage::gathering;
  Wants wants{};  // see RoomInfo

  friend bool operator==(const RoomChange&, const RoomChange&) = default;
};

// The result that a room's game has said, once for each room. When a match ends, the worker sends
// its result again. If the game has said none, the value is empty.
struct RoomResult {
  RoomNumber room;
  GroupKey group;
  CreationId creation;      // the room's order; twin rooms have different orders
  std::string value;        // JSON; empty: the match ended without a result
  bool room_ended = false;  // the room takes no players any more

  friend bool operator==(const RoomResult&, const RoomResult&) = default;
};

// One match request: one player, or a party or match, whose players get seats together or not at
// all.
struct Claim {
  PlayerId player;
  std::vector<PlayerId> party;  // the other players; usually empty
  RequestContext context{};     // for observers
  // The player's values for the mode's rules. A worker stores these values with the seat and
  // reports them to masters. It does not interpret the values.
  std::string brings{};
  // The values `brings` of the players in `party`. Empty: they all have the values of `player`.
  std::vector<std::string> party_brings{};
  // Set if the group is a match. A room that is made for the claim keeps these facts. An existing
  // room has seats for the claim only if same_body() is true for its facts and these, or if `joins`
  // is true here.
  std::optional<MatchFacts> match{};
  // The game learns these facts about the claim's players: teams, and values that rules compare.
  // Empty: no rules have chosen the players.
  std::vector<MatchPlayer> lineup{};
  bool no_backfill = false;  // no new seats in a room whose first match is complete

  [[nodiscard]] const std::string& brought_by(std::size_t of_party) const {
    return party_brings.empty() ? brings : party_brings.at(of_party);
  }

  [[nodiscard]] std::uint32_t seats() const { return 1 + static_cast<std::uint32_t>(party.size()); }
  friend bool operator==(const Claim&, const Claim&) = default;
};

// The request that is reported as the cause of an order: the first request with a trace; if no
// request has a trace, the first request. Null for an order without claims.
[[nodiscard]] inline const RequestContext* cause_of(const std::vector<Claim>& claims) {
  if (claims.empty()) return nullptr;
  const auto traced = std::find_if(claims.begin(), claims.end(), [](const Claim& claim) {
    return claim.context.trace.has_value();
  });
  return traced == claims.end() ? &claims.front().context : &traced->context;
}

// A hint from the lock's last holder to the next holder, whose information may be older. The hint
// names a room with free seats, or an unanswered order of this or an earlier holder.
struct RoomHint {
  RoomId room;  // number 0 if only ordered
  ModeName mode;
  std::uint32_t capacity = 0;
  std::uint32_t free = 0;
  std::optional<CreationId> ordered;  // set if the room has no number yet

  friend bool operator==(const RoomHint&, const RoomHint&) = default;
};

}  // namespace fixkeep::wire
