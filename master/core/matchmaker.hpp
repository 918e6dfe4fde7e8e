// Seats for the match requests of one master, from the request to the answer (docs/design.md, "The
// way of one match request").
//
// Per group: claims wait in a queue, all that fit go to one room in one SeatRequest, at most one a
// room at a time. Claims left over make the group acquire its lock; holding it, it merges what the
// last holder knew, fences if told to, asks the rooms once more and only then orders new ones.
//
// This class composes its parts, and has no rules of its own:
//
//   requests.hpp       tickets: from the request to the answer
//   claims.hpp         where each claim is;  seating.hpp  where it goes
//   seat_requests.hpp  asking rooms for seats;  seat_need.hpp  which claims need another room
//   holds.hpp          the locks of the groups, and what each Hold wants;  room_orders.hpp
//   worker_links.hpp   workers and what they say;  questions.hpp  what they are asked
//
// Sans-IO and independent of the lock behind it: it puts out LockOrders and is told LockGranted and
// LockLost. Every function is total; whatever a worker sends is applied, ignored, or answered with
// CloseWorkerLink, upon which the worker is treated as down at once.
//
// Assumes: a worker's messages arrive in order; none of an older connection after WorkerConnected.
// A master that has not met its peers yet (joined false) serves requests from the rooms it knows;
// the others wait for the lock, which is granted after the join, until their deadline.
//
// Invariants: 1. each ticket is answered once, or cancelled.
//             2. SpawnRoom is sent only while holding the group's lock, for claims that neither a
//                room that is known nor one that is being asked or ordered may have seats for.
//             3. reserved seats are answered for, kept for a waiting claim, or given back.
// Thread rule: one owner. Bounds: MatchmakerOptions. Errors: Refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/events/event.hpp"
#include "common/wire/messages.hpp"
#include "master/core/seam/events.hpp"
#include "master/core/seam/lock_orders.hpp"
#include "master/core/seam/pool_claim.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

class Directory;
struct DirectoryNews;

class Matchmaker {
 public:
  struct Output {
    Actions& actions;
    LockOrders& locks;
  };

  Matchmaker(MatchmakerOptions options, TimePoint now);
  ~Matchmaker();
  Matchmaker(Matchmaker&&) noexcept;
  Matchmaker& operator=(Matchmaker&&) noexcept;

  // REQUIRES: the ticket was never used before.
  void match_requested(MatchRequested&& request, TimePoint now, Output out);
  void cancelled(TicketId ticket, TimePoint now, Output out);
  void why_asked(TicketId ticket, TimePoint now, Output out);
  void seat_left(const RoomId& room, const PlayerId& player, TimePoint now, Output out);
  void worker_connected(const WorkerId& worker, Incarnation incarnation, TimePoint now, Output out);
  void worker_disconnected(const WorkerId& worker, TimePoint now, Output out);
  void worker_said(const WorkerId& worker, wire::Report&& report, TimePoint now, Output out);
  void peer_connected(MasterId peer, TimePoint now, Output out);
  void peer_disconnected(MasterId peer, TimePoint now, Output out);
  void peer_said(MasterId peer, wire::PoolMessage&& message, TimePoint now, Output out);
  void lock_granted(LockGranted&& grant, TimePoint now, Output out);
  // All that were lost at one instant, together: a group that still believed in its lock while
  // another one's loss is dealt with would give it back.
  void locks_lost(const std::vector<LockLost>& losses, TimePoint now, Output out);
  void time_passed(TimePoint now, Output out);
  // Refuses everything that waits and everything that comes, gives locks and seats back.
  void held_up(Duration late);
  // PoolPace::take_worked(), worked().
  [[nodiscard]] bool take_pool_work();
  void pool_work_took(Duration took, TimePoint now);
  void stop(TimePoint now, Output out);

  // Workers that another master has a link to: no room is ordered before they have been heard of,
  // or join_grace has passed.
  void expect_workers(const std::vector<WorkerId>& workers, TimePoint now);
  [[nodiscard]] bool awaits_workers() const;  // all of them, since the start was but now
  // Requests says what this is for.
  void set_unjoined(std::optional<Refusal> reason);
  void set_rank(std::uint32_t rank);  // masters that take their turns before this one

  // The earliest time at which time_passed() has something to do; TimePoint::max() if never.
  [[nodiscard]] TimePoint next_tick() const;
  [[nodiscard]] std::size_t waiting() const;  // tickets
  [[nodiscard]] std::optional<WaitingGroup> waits_for(TicketId ticket) const;
  [[nodiscard]] std::optional<WhyWaits> why(TicketId ticket) const;
  [[nodiscard]] std::optional<PoolClaim> pool_claim(TicketId ticket) const;
  [[nodiscard]] std::size_t groups() const;         // in memory
  [[nodiscard]] std::uint64_t claim_looks() const;  // Claims::looks()
  [[nodiscard]] events::KeptBack kept_back(const GroupKey& group) const;
  [[nodiscard]] const Directory& directory() const;
  [[nodiscard]] std::vector<Quarantine::Stay> quarantined() const;
  [[nodiscard]] DirectoryNews take_news();  // Directory::take_news()
  [[nodiscard]] const MasterCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::master
