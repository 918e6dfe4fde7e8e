// A complete master without sockets: it finds seats for match requests, with the locks of their
// groups (docs/design.md, "The way of one match request").
//
// Each group has a queue of waiting claims. One SeatRequest asks a room for all claims that fit. A
// room has at most one unanswered SeatRequest. If claims are left over, the group acquires its
// lock. With the lock, the master first adds the last holder's knowledge to its own. It fences if
// necessary, and asks the rooms again. Then it orders new rooms.
//
// This class only composes its parts, which contain the rules.
//
//   requests.hpp       tickets, from the request to the answer
//   claims.hpp         the place of each claim;  seating.hpp  the choice of the place
//   seat_requests.hpp  requests for seats;  seat_need.hpp  claims that need another room
//   holds.hpp          the locks of the groups, and each Hold's orders;  room_orders.hpp
//   worker_links.hpp   workers and their messages;  questions.hpp  unanswered requests
//   lock_table.hpp     the locks; groups use them through lock_orders.hpp
//
// Sans-IO: the Asio shell and the simulator drive the same object. step() is total and
// deterministic. The order of the actions is the contract. A worker's message is applied, ignored
// or answered with CloseWorkerLink. The worker counts as down immediately when its link is closed.
//
// Assumes: a worker's messages arrive in order. No message of an older connection arrives after
// WorkerConnected. Before its join a master seats players only in rooms that it knows. Other
// requests wait for the lock until their deadline, because the lock is granted only after the join.
//
// Invariants: 1. Each ticket is answered once or cancelled.
//             2. SpawnRoom is sent only with the group's lock, for claims that do not fit into any
//                known, asked or ordered room.
//             3. Reserved seats are in an answer, kept for a waiting claim or given back.
// Thread rule: one owner. Bounds: MasterOptions. Errors: at most one Refused per ticket.
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
struct Room;
class ModesAgreement;
struct DirectoryNews;

// Contains what this master knows about a match.
struct MatchState {
  const Room* room = nullptr;  // null: none is known
  bool ended = false;
  ModeName mode_of_ended;  // empty: the match has not ended, or this master does not know its mode
  bool out_of_sight = false;  // its worker has no link to this master, and may come back
  const wire::RoomResult* result = nullptr;  // null: none is known
  bool no_capacity = false;                  // it waits here, and no worker could start its room
};

class MasterCore {
 public:
  using Event = master::Event;
  using Actions = master::Actions;
  using TimePassed = master::TimePassed;

  MasterCore(const MasterOptions& options, TimePoint now);
  // For a caller with its own locks, as in tests. The caller executes the orders in `locks` and
  // reports the results of these orders. `locks` outlives the object.
  MasterCore(const MasterOptions& options, LockOrders& locks, TimePoint now);
  ~MasterCore();
  MasterCore(MasterCore&&) noexcept;
  MasterCore& operator=(MasterCore&&) noexcept;

  void step(Event&& event, TimePoint now, Actions& out);
  void granted(LockGranted&& grant, TimePoint now, Actions& out);
  // Reports all locks that were lost at one instant together. Otherwise a group could release its
  // own lost lock while the core handles the loss of another lock.
  void lost(const std::vector<LockLost>& losses, TimePoint now, Actions& out);

  // Call if the master was not scheduled for the time `late` after next_tick(). No worker's answer
  // becomes overdue because of this time. Leases and the deadlines of requests are not extended.
  void held_up(Duration late);
  // Returns whether there was work for pools since the last call. If so, the driver reports how
  // long the batch took.
  [[nodiscard]] bool take_pool_work();
  void pool_work_took(Duration took, TimePoint now);

  // Returns when the next TimePassed is needed; TimePoint::max(): never.
  [[nodiscard]] TimePoint next_tick() const;

  // Refuses all waiting and later requests (Refusal::stopping). Releases locks.
  void stop(TimePoint now, Actions& out);

  [[nodiscard]] bool joined() const;  // the mesh is joined, the wait for workers is over
  [[nodiscard]] std::size_t waiting() const;
  // Returns the group that the ticket waits for. Returns nothing if the ticket is answered or the
  // core has not processed its request yet.
  [[nodiscard]] std::optional<WaitingGroup> waits_for(TicketId ticket) const;
  // Returns why the ticket waits. Returns nothing if waits_for() returns nothing, or if the claim
  // is in no pool.
  [[nodiscard]] std::optional<WhyWaits> why(TicketId ticket) const;
  [[nodiscard]] std::optional<PoolClaim> pool_claim(TicketId ticket) const;
  [[nodiscard]] std::size_t groups() const;         // groups in memory
  [[nodiscard]] std::uint64_t claim_looks() const;  // Claims::looks()
  [[nodiscard]] events::KeptBack kept_back(const GroupKey& group) const;
  [[nodiscard]] const Directory& directory() const;
  [[nodiscard]] MatchState match(const GroupKey& group, TimePoint now) const;
  [[nodiscard]] std::vector<Quarantine::Stay> quarantined() const;  // the workers in quarantine now
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
