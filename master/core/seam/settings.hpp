// The options of a MasterCore and its counters. All its parts read the options.
//
// Thread rule: values.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/base/duration_histogram.hpp"
#include "common/base/ids.hpp"
#include "common/base/sip_hash.hpp"
#include "common/base/time.hpp"
#include "lock/core/lock_table.hpp"
#include "master/core/seam/shadow_counts.hpp"
#include "master/core/workers/quarantine.hpp"
#include "master/rules/plan/rules.hpp"
#include "master/rules/seat_scope.hpp"
#include "master/rules/warm_rule.hpp"

namespace fixkeep::master {

// The client's address for counts per client. Empty: not counted.
using ClientAddress = NamedId<struct ClientAddressTag>;

enum class Placement : std::uint8_t {
  roomiest,  // the room with the most free seats first: even load, fast start
  fullest,   // the room with the fewest free seats first: full rooms, others can close
};

// A mode that has warm rooms.
struct WarmMode {
  ModeName name;
  std::uint32_t capacity = 0;  // seats of a room of this mode
  WarmRule rule;
};

using ShadowRules = std::map<ModeName, std::shared_ptr<const plan::Rules>>;

// The core's part of the modes in a configuration.
struct CoreModes {
  std::uint64_t hash = 0;      // of the text of all modes: peers compare it
  std::vector<WarmMode> warm;  // each mode once
  ShadowRules shadows;         // key: the mode; see pools/shadow.hpp
};

struct MasterOptions {
  MasterId self;
  ZoneName zone;
  Incarnation incarnation;  // this run's, part of every creation id
  SipKey player_key{};      // random and secret, new in each run: see player_hasher.hpp
  lock::LockTableOptions locks;
  Placement placement = Placement::roomiest;
  // A worker with an answer overdue for this time is behind: it gets no orders until it answers. It
  // is treated as down if it has answered a later question or nothing at all for
  // Questions::patience times as long.
  Duration worker_reply{std::chrono::seconds{2}};
  // After its start a master orders no room for this time: each of its workers has yet to find it.
  // It is the longest pause between two attempts of a worker.
  Duration await_workers{std::chrono::seconds{1}};
  // Wait for a worker with a broken link before another room is ordered for a group that may have
  // seats there. 0: no wait.
  Duration out_of_sight{std::chrono::seconds{5}};
  // A room that its worker has started and that is still starting after so long will never open.
  // Longer than any worker gives its games.
  Duration room_start{std::chrono::minutes{10}};
  // Wait of a claim with a player that has a seat in another room. News of a returned seat may be
  // on its way.
  Duration other_seat_grace{std::chrono::seconds{1}};
  std::uint32_t spawn_attempts = 3;  // rooms that may fail to boot under one request
  // Beyond it: Refusal::queue_full. All of them take some 100 MB, and a cluster that is behind by
  // so many serves nobody in time.
  std::size_t waiting_requests = 50'000;
  std::size_t waiting_requests_per_group = 20'000;
  // Rooms of one group that start at a time as far as this master knows. Unanswered orders count.
  // Claims that would need more wait until one of those is open or has failed.
  std::size_t starting_rooms_per_group = 256;
  // Rooms that start at a time because of one client's requests to this master. Each counts for the
  // client of its first claim. Claims that need more are refused: Refusal::too_many_rooms.
  std::uint32_t starting_rooms_per_client = 512;
  // Rooms that are started because of one client's requests to this master, over time: see
  // room_budget.hpp. Claims that would need more are refused. 0 a minute: there is no bound.
  std::uint32_t rooms_per_client_per_minute = 120;
  CoreModes modes;
  bool record_events = false;

  // The longest hold of a group's lock. It is shorter than the lock's own lease: a given-up hold
  // can still be released with an uncertain value. A hold waits at most half of it for workers that
  // others know. locks.join_grace may be less.
  [[nodiscard]] Duration hold() const { return locks.lease * 3 / 4; }
  // Masters may decide at one time: each of them decides for its own claims alone.
  [[nodiscard]] bool alone() const {
    return lock::find_strategy(locks.strategy)->family == lock::Family::none;
  }
};

// The group that a ticket waits for and the number of its waiting tickets.
struct WaitingGroup {
  GroupKey group;
  std::size_t requests = 0;
};

struct MasterCounters {
  std::uint64_t requested = 0;
  std::uint64_t seated = 0;
  std::uint64_t refused = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t same_seat_again = 0;  // answered with a seat that the player already had
  std::uint64_t seat_requests = 0;    // messages; claims / messages is the natural batch
  std::uint64_t claims_sent = 0;
  DurationHistogram seat_replies;  // time from a seat request to the worker's reply
  std::uint64_t fences = 0;
  std::uint64_t fence_restarts = 0;
  std::uint64_t spawns_ordered = 0;
  std::uint64_t spawns_refused = 0;  // stale token: an order that came too late
  std::uint64_t boots_failed = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(last_misdeed) + 1> quarantines{};
  std::uint64_t warm_ordered = 0;            // rooms without a group
  std::uint64_t warm_closed = 0;             // warm rooms closed because there were too many
  std::map<ModeName, ShadowCounts> shadows;  // an entry for each of CoreModes::shadows
};

}  // namespace fixkeep::master
