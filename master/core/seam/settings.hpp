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

// The client's address, for limits per client. Empty: no limits.
using ClientAddress = NamedId<struct ClientAddressTag>;

enum class Placement : std::uint8_t {
  roomiest,  // most free seats first: even load, fast start
  fullest,   // fewest free seats first: rooms fill up, others can close
};

// A mode with warm rooms.
struct WarmMode {
  ModeName name;
  std::uint32_t capacity = 0;  // seats of a room of this mode
  WarmRule rule;
};

using ShadowRules = std::map<ModeName, std::shared_ptr<const plan::Rules>>;

// Contains what the core needs of the configured modes.
struct CoreModes {
  std::uint64_t hash = 0;      // hash of all modes as text; peers compare it
  std::vector<WarmMode> warm;  // each mode once
  ShadowRules shadows;         // key: the mode; see pools/shadow.hpp
};

struct MasterOptions {
  MasterId self;
  ZoneName zone;
  Incarnation incarnation;  // number of this run, part of every creation id
  SipKey player_key{};      // random secret of this run (player_hasher.hpp)
  lock::LockTableOptions locks;
  Placement placement = Placement::roomiest;
  // A worker without an answer after this time is behind: it gets no orders until it answers. The
  // worker counts as down if it has answered a later question. It also counts as down if it has
  // answered nothing for Questions::patience times this time.
  Duration worker_reply{std::chrono::seconds{2}};
  // After its start a master orders no room for this time, because its workers must connect first.
  // This time is longer than a worker pauses between two attempts to connect.
  Duration await_workers{std::chrono::seconds{1}};
  // Time to wait for a worker with a broken link. Until then, a group that may have seats there
  // orders no other room. 0: no wait.
  Duration out_of_sight{std::chrono::seconds{5}};
  // A room that is still starting after this time will never open. This time is longer than any
  // worker's boot timeout.
  Duration room_start{std::chrono::minutes{10}};
  // A claim whose player has a seat in another room waits for this time: the news that this seat is
  // free may still arrive.
  Duration other_seat_grace{std::chrono::seconds{1}};
  std::uint32_t spawn_attempts = 3;  // failed boots after which a request is refused
  // Limit on waiting requests; further requests get Refusal::queue_full. This many requests need
  // about 100 MB of memory. A cluster with more waiting requests serves no request in time.
  std::size_t waiting_requests = 50'000;
  std::size_t waiting_requests_per_group = 20'000;
  // Limits the starting rooms of one group, as far as this master knows.
  // Unanswered orders count as starting rooms. Claims that need more rooms wait until one of these
  // rooms opens or fails.
  std::size_t starting_rooms_per_group = 256;
  // Limits the starting rooms for the requests of one client to this master.
  // A room counts for the client of its first claim. Claims that need more rooms are refused
  // (Refusal::too_many_rooms).
  std::uint32_t starting_rooms_per_client = 512;
  // Limits the rooms per minute that start for the requests of one client to this master, after a
  // burst (room_budget.hpp). Claims that need more rooms are refused. 0: no limit.
  std::uint32_t rooms_per_client_per_minute = 120;
  CoreModes modes;
  bool record_events = false;

  // Returns the longest time of a hold. This time is shorter than the lock's lease, so a hold that
  // gives up can still release an uncertain value. For workers that other masters know, a hold
  // waits at most half of this time and at most locks.join_grace.
  [[nodiscard]] Duration hold() const { return locks.lease * 3 / 4; }
  // Returns whether each master decides for its own claims alone. Masters may then decide at the
  // same time.
  [[nodiscard]] bool alone() const {
    return lock::find_strategy(locks.strategy)->family == lock::Family::none;
  }
};

// The group that a ticket waits for, and the number of all tickets that wait for this group.
struct WaitingGroup {
  GroupKey group;
  std::size_t requests = 0;
};

struct MasterCounters {
  std::uint64_t requested = 0;
  std::uint64_t seated = 0;
  std::uint64_t refused = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t same_seat_again = 0;  // answers with a seat that the player already had
  std::uint64_t seat_requests = 0;    // SeatRequests; claims_sent / seat_requests: average batch
  std::uint64_t claims_sent = 0;
  DurationHistogram seat_replies;  // time from a seat request to the worker's reply
  std::uint64_t fences = 0;
  std::uint64_t fence_restarts = 0;
  std::uint64_t spawns_ordered = 0;
  std::uint64_t spawns_refused = 0;  // orders with a stale token: they came too late
  std::uint64_t boots_failed = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(last_misdeed) + 1> quarantines{};
  std::uint64_t warm_ordered = 0;            // ordered rooms without a group
  std::uint64_t warm_closed = 0;             // warm rooms closed as surplus
  std::map<ModeName, ShadowCounts> shadows;  // an entry for each of CoreModes::shadows
};

}  // namespace fixkeep::master
