// The whole of a master without its sockets: Matchmaker and LockTable, wired together.
//
// Sans-IO: the Asio shell and the simulator drive the same object. step() is total and
// deterministic; the order of the actions is the contract.
//
// Thread rule: one owner. Bounds: MasterOptions. Errors: Refused, one a ticket.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/lock/lock_table.hpp"
#include "master/core/events.hpp"

namespace fixkeep::master {

enum class Placement : std::uint8_t {
  roomiest,  // the room with the most free seats first: even load, fast start
  fullest,   // the room with the fewest free seats first: full rooms, others can close
};

struct MasterOptions {
  MasterId self;
  ZoneName zone;
  Incarnation incarnation;  // of this run; part of every creation id
  lock::LockTableOptions locks;
  Placement placement = Placement::roomiest;
  Duration worker_reply{std::chrono::seconds{2}};  // an order without an answer has an unknown fate
  std::uint32_t spawn_attempts = 3;                // rooms that may fail to boot under one request
  std::size_t waiting_requests = 50'000;           // beyond it: Refusal::queue_full
  std::size_t waiting_requests_per_group = 20'000;
};

class Directory;

struct MasterCounters {
  std::uint64_t requested = 0;
  std::uint64_t seated = 0;
  std::uint64_t refused = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t same_seat_again = 0;  // answered with a seat that the player already had
  std::uint64_t seat_requests = 0;    // messages; claims / messages is the natural batch
  std::uint64_t claims_sent = 0;
  std::uint64_t fences = 0;
  std::uint64_t fence_restarts = 0;
  std::uint64_t spawns_ordered = 0;
  std::uint64_t spawns_refused = 0;  // stale token: an order that came too late
  std::uint64_t boots_failed = 0;
};

class MasterCore {
 public:
  MasterCore(MasterOptions options, TimePoint now);
  ~MasterCore();
  MasterCore(MasterCore&&) noexcept;
  MasterCore& operator=(MasterCore&&) noexcept;

  void step(Event&& event, TimePoint now, Actions& out);

  // The earliest time at which TimePassed has something to do; TimePoint::max() if never.
  [[nodiscard]] TimePoint next_tick() const;

  // Refuses everything that waits and everything that comes (Refusal::stopping), releases locks.
  void stop(TimePoint now, Actions& out);

  [[nodiscard]] bool joined() const;  // GET /readyz
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] const Directory& directory() const;
  [[nodiscard]] const lock::LockTable& locks() const;
  [[nodiscard]] const MasterCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::master
