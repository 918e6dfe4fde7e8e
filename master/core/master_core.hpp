// The whole of a master without its sockets: seats for its match requests and the locks of their
// groups (docs/design.md, "The way of one match request").
//
// Per group: claims wait in a queue. All that fit go to one room in one SeatRequest, at most one a
// room at a time. Claims left over make the group acquire its lock. With the lock it merges the
// last holder's knowledge, fences if told to and asks the rooms once more. Only then it orders new
// ones.
//
// This class composes its parts and has no rules of its own.
//
//   requests.hpp       tickets: from the request to the answer
//   claims.hpp         where each claim is;  seating.hpp  where it goes
//   seat_requests.hpp  asking rooms for seats;  seat_need.hpp  which claims need another room
//   holds.hpp          the locks of the groups, and each Hold's orders;  room_orders.hpp
//   worker_links.hpp   workers and their messages;  questions.hpp  questions to them
//   lock_table.hpp     the locks; the groups speak to them by lock_orders.hpp
//
// Sans-IO: the Asio shell and the simulator drive the same object. step() is total and
// deterministic. The order of the actions is the contract. A worker's message is applied, ignored
// or answered with CloseWorkerLink. A worker with a closed link is treated as down at once.
//
// Assumes: a worker's messages arrive in order. No message of an older connection arrives after
// WorkerConnected. A master that has not met its peers yet serves requests from the rooms it knows.
// The others wait until their deadline for the lock: it is granted after the join.
//
// Invariants: 1. Each ticket is answered once or cancelled.
//             2. SpawnRoom is sent only while holding the group's lock. Its claims may find no
//                seats in any known, asked or ordered room.
//             3. Reserved seats are answered for, kept for a waiting claim or given back.
// Thread rule: one owner. Bounds: MasterOptions. Errors: Refused, one a ticket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/events/event.hpp"
#include "lock/core/lock_table.hpp"
#include "master/core/seam/events.hpp"
#include "master/core/seam/lock_orders.hpp"
#include "master/core/seam/pool_claim.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

class Directory;
class ModesAgreement;
struct DirectoryNews;

class MasterCore {
 public:
  using Event = master::Event;
  using Actions = master::Actions;
  using TimePassed = master::TimePassed;

  MasterCore(const MasterOptions& options, TimePoint now);
  // The caller keeps the locks, as tests do. It takes their orders from `locks` and tells the
  // results. `locks` outlives the object.
  MasterCore(const MasterOptions& options, LockOrders& locks, TimePoint now);
  ~MasterCore();
  MasterCore(MasterCore&&) noexcept;
  MasterCore& operator=(MasterCore&&) noexcept;

  void step(Event&& event, TimePoint now, Actions& out);
  void granted(LockGranted&& grant, TimePoint now, Actions& out);
  // All locks lost at one instant. Otherwise a group could still believe in its lock during
  // another's loss and give it back.
  void lost(const std::vector<LockLost>& losses, TimePoint now, Actions& out);

  // The master was not scheduled for so long after next_tick(). No worker's answer is overdue for
  // that time. Leases and the deadlines of requests go on.
  void held_up(Duration late);
  // True once after work for pools. The driver then says how much of its thread the batch took.
  [[nodiscard]] bool take_pool_work();
  void pool_work_took(Duration took, TimePoint now);

  // The earliest time at which TimePassed has something to do; TimePoint::max() if never.
  [[nodiscard]] TimePoint next_tick() const;

  // Refuses all waiting and later requests (Refusal::stopping). Releases locks.
  void stop(TimePoint now, Actions& out);

  [[nodiscard]] bool joined() const;  // the mesh and, for as long as it takes, the workers: /readyz
  [[nodiscard]] std::size_t waiting() const;
  // Nothing if the ticket is answered or has not been stepped yet.
  [[nodiscard]] std::optional<WaitingGroup> waits_for(TicketId ticket) const;
  // The same, or it is of no pool.
  [[nodiscard]] std::optional<WhyWaits> why(TicketId ticket) const;
  [[nodiscard]] std::optional<PoolClaim> pool_claim(TicketId ticket) const;
  [[nodiscard]] std::size_t groups() const;         // groups in memory
  [[nodiscard]] std::uint64_t claim_looks() const;  // Claims::looks()
  [[nodiscard]] events::KeptBack kept_back(const GroupKey& group) const;
  [[nodiscard]] const Directory& directory() const;
  [[nodiscard]] std::vector<Quarantine::Stay> quarantined() const;  // the workers left out now
  [[nodiscard]] DirectoryNews take_news();                          // Directory::take_news()
  void record_events(bool wanted);                                  // overrides the option
  [[nodiscard]] events::Happenings take_events();  // recorded events since the last call
  [[nodiscard]] const ModesAgreement& modes() const;
  [[nodiscard]] const lock::LockTable& locks() const;
  [[nodiscard]] const MasterCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::master
