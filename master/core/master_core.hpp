// The whole of a master without its sockets: Matchmaker and LockTable, wired together.
//
// Sans-IO: the Asio shell and the simulator drive the same object. step() is total and
// deterministic; the order of the actions is the contract.
//
// Thread rule: one owner. Bounds: MasterOptions. Errors: Refused, one a ticket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/events/event.hpp"
#include "lock/core/lock_table.hpp"
#include "master/core/seam/events.hpp"
#include "master/core/seam/pool_claim.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

struct MasterOptions {
  MasterId self;
  ZoneName zone;
  Incarnation incarnation;  // of this run; part of every creation id
  SipKey player_key{};      // see MatchmakerOptions
  lock::LockTableOptions locks;
  Placement placement = Placement::roomiest;
  Duration worker_reply{std::chrono::seconds{2}};  // an order without an answer has an unknown fate
  Duration await_workers{std::chrono::seconds{1}};  // see MatchmakerOptions
  Duration out_of_sight{std::chrono::seconds{5}};   // see MatchmakerOptions
  Duration room_start{std::chrono::minutes{10}};    // see MatchmakerOptions
  std::uint32_t spawn_attempts = 3;                 // rooms that may fail to boot under one request
  std::size_t waiting_requests = 50'000;            // beyond it: Refusal::queue_full
  std::size_t waiting_requests_per_group = 20'000;
  std::size_t starting_rooms_per_group = 256;       // see MatchmakerOptions
  std::uint32_t starting_rooms_per_client = 512;    // beyond it: Refusal::too_many_rooms
  std::uint32_t rooms_per_client_per_minute = 120;  // the same; 0: no bound
  std::uint32_t rooms_per_client_burst = 256;
  std::vector<WarmMode> warm;  // modes with rooms that nobody has asked for yet
  ShadowRules shadows;         // see MatchmakerOptions
  bool record_events = false;
};

class Directory;
struct DirectoryNews;

class MasterCore {
 public:
  using Event = master::Event;
  using Actions = master::Actions;
  using TimePassed = master::TimePassed;

  MasterCore(MasterOptions options, TimePoint now);
  ~MasterCore();
  MasterCore(MasterCore&&) noexcept;
  MasterCore& operator=(MasterCore&&) noexcept;

  void step(Event&& event, TimePoint now, Actions& out);

  // The master was not scheduled for so long after next_tick(). No worker's answer is overdue for
  // that time; leases and the deadlines of requests go on.
  void held_up(Duration late);
  // True once after work for pools: the driver then says how much of its thread the batch took.
  [[nodiscard]] bool take_pool_work();
  void pool_work_took(Duration took, TimePoint now);

  // The earliest time at which TimePassed has something to do; TimePoint::max() if never.
  [[nodiscard]] TimePoint next_tick() const;

  // Refuses everything that waits and everything that comes (Refusal::stopping), releases locks.
  void stop(TimePoint now, Actions& out);

  [[nodiscard]] bool joined() const;  // the mesh and, for as long as it takes, the workers: /readyz
  [[nodiscard]] std::size_t waiting() const;
  // Nothing if the ticket is answered, or has not been stepped yet.
  [[nodiscard]] std::optional<WaitingGroup> waits_for(TicketId ticket) const;
  // The same, or it is of no pool.
  [[nodiscard]] std::optional<WhyWaits> why(TicketId ticket) const;
  [[nodiscard]] std::optional<PoolClaim> pool_claim(TicketId ticket) const;
  [[nodiscard]] std::uint64_t claim_looks() const;  // Claims::looks()
  [[nodiscard]] events::KeptBack kept_back(const GroupKey& group) const;
  [[nodiscard]] const Directory& directory() const;
  [[nodiscard]] std::vector<Quarantine::Stay> quarantined() const;  // the workers left out now
  [[nodiscard]] DirectoryNews take_news();                          // Directory::take_news()
  void record_events(bool wanted);                 // from now on, instead of as the options say
  [[nodiscard]] events::Happenings take_events();  // since the last call, if they are recorded
  [[nodiscard]] const lock::LockTable& locks() const;
  [[nodiscard]] const MasterCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::master
