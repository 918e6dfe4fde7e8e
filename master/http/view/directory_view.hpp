// The view is a copy of the directory for the second thread: one immutable row for each worker and
// room.
//
// The master's thread uses the Directory for decisions and never shares it. Read-only pages (room
// lists, metrics) are made from this view, under a reader-writer spin lock. A row never changes:
// news about a room replaces its row. A reader thus needs the lock only to copy a few pointers, and
// makes text from the rows without the lock. The writer makes new rows before it locks, and deletes
// old rows after it unlocks.
//
// A reader copies rows_at_once rooms under one lock, then unlocks. A page of 10 000 rooms takes
// some 160 short locks instead of one long lock. The page is no snapshot: each of its rooms had the
// shown state at some moment during the work. A room that existed all this time is on the page
// exactly once.
//
// Invariants: 1. A room's worker is in the view.
//             2. totals() are the sums over the rooms in the view.
// Thread rule: apply() is for the master's thread alone, all other functions for any thread.
// Bounds: those of the directory. Errors: LockError if a reader does not get the lock within its
// limit.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/sync/rw_spin_lock.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {

struct RoomRow {
  RoomId id;
  GroupKey group;
  ModeName mode;
  wire::RoomPhase phase = wire::RoomPhase::starting;
  std::optional<wire::RoomPlace> place;  // null: not known yet
  std::uint32_t capacity = 0;
  std::uint64_t taken = 0;                // reserved or occupied seats
  std::optional<std::uint32_t> occupied;  // null: unknown number of players
  CreationId creation;
  bool takes_newcomers = true;
  Wants wants{};

  [[nodiscard]] std::uint64_t reserved() const {
    return taken - std::min<std::uint64_t>(taken, occupied.value_or(0));
  }
};

struct WorkerRow {
  WorkerId id;
  Incarnation incarnation;
  std::uint64_t link = 0;  // after a change of the link all old rooms are dropped
  bool known = false;      // its WorkerState has arrived
  ZoneName zone;
  std::string address;
  std::uint16_t ping_port = 0;  // 0: players cannot measure their latency
  std::uint32_t room_limit = 0;
  std::uint32_t headroom = 0;
  wire::StartQueue start_queue;
  bool behind = false;
  RoomNumber newest_room;
  std::vector<ModeName> modes;
  std::vector<wire::PausedMode> paused;  // the paused modes among `modes`
};

[[nodiscard]] std::shared_ptr<const RoomRow> row_of(const Room& room);
[[nodiscard]] std::shared_ptr<const WorkerRow> row_of(const Worker& worker);

// The sums over the rooms of one mode.
struct ModeTotals {
  std::array<std::uint64_t, 3> rooms{};  // counts by phase; the view has no closed rooms
  std::uint64_t warm = 0;                // rooms without a group, also in `rooms`
  std::uint64_t seats = 0;
  std::uint64_t reserved = 0;
  std::uint64_t occupied = 0;
  std::uint64_t unknown = 0;  // taken seats in rooms with an unknown number of players
  std::uint64_t closed = 0;   // free seats in rooms that take no newcomers

  [[nodiscard]] std::uint64_t taken() const { return reserved + occupied + unknown; }
  [[nodiscard]] std::uint64_t free() const { return seats - std::min(seats, taken() + closed); }
  ModeTotals& operator+=(const ModeTotals& other);
  ModeTotals& operator-=(const ModeTotals& other);
  friend bool operator==(const ModeTotals&, const ModeTotals&) = default;
};
using ViewTotals = std::map<ModeName, ModeTotals>;  // may contain modes without rooms

struct RoomSight {
  std::shared_ptr<const RoomRow> room;
  std::shared_ptr<const WorkerRow> worker;
};
struct WorkerSight {
  std::shared_ptr<const WorkerRow> worker;
  std::size_t rooms = 0;
};
struct TotalSight {
  std::size_t workers = 0;
  ViewTotals modes;
};

class DirectoryView {
 public:
  static constexpr std::size_t rows_at_once = 64;

  // The members are applied in this order. Rooms of workers that are not in the view are ignored.
  struct Update {
    std::vector<WorkerId> workers_gone;
    std::vector<std::shared_ptr<const WorkerRow>> workers;
    std::vector<RoomId> rooms_gone;
    std::vector<std::shared_ptr<const RoomRow>> rooms;
  };
  // Trash contains the rows that an update replaced. Delete Trash on a thread that has time for
  // this.
  class Trash;

  // Never waits. If a reader has the lock, changes nothing and returns false: call again later.
  [[nodiscard]] bool apply(Update& update, Trash& trash);

  // Returns at most `limit` rooms in the order of their ids, beginning after `after`.
  [[nodiscard]] sync::LockResult<std::vector<RoomSight>> rooms(std::optional<RoomId> after,
                                                               std::size_t limit) const;
  // Returns null pointers if the room is unknown.
  [[nodiscard]] sync::LockResult<RoomSight> room(const RoomId& id) const;
  [[nodiscard]] sync::LockResult<std::vector<WorkerSight>> workers() const;
  [[nodiscard]] sync::LockResult<TotalSight> totals() const;

  [[nodiscard]] sync::RwSpinLock& lock() const { return lock_; }  // for tests that hold the lock

 private:
  struct Shown {
    std::shared_ptr<const WorkerRow> row;
    std::map<RoomNumber, std::shared_ptr<const RoomRow>> rooms;
    ViewTotals totals;
  };
  using Workers = std::map<WorkerId, Shown>;

  void put(std::shared_ptr<const WorkerRow>& row, Trash& trash);
  void put(std::shared_ptr<const RoomRow>& row);
  void remove(const RoomId& id, Trash& trash);
  static void add(ViewTotals& totals, const RoomRow& row);
  static void subtract(ViewTotals& totals, const RoomRow& row);
  // Copies at most rows_at_once more rooms under one lock.
  [[nodiscard]] sync::LockResult<bool> look(std::optional<RoomId>& after, std::size_t limit,
                                            std::vector<RoomSight>& found) const;

  mutable sync::RwSpinLock lock_{{"the view of the directory"}};
  Workers workers_;
};

class DirectoryView::Trash {
 public:
  [[nodiscard]] bool empty() const { return rooms_.empty() && workers_.empty(); }

 private:
  friend DirectoryView;
  std::vector<std::shared_ptr<const RoomRow>> rooms_;
  std::vector<Shown> workers_;
};

}  // namespace fixkeep::master
