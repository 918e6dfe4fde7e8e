// The view is the second thread's part of the directory: workers and rooms, one immutable row each.
//
// The master's thread decides by the Directory and never shares it. Pages that only look (room
// lists, metrics) are made from this view under a reader-writer spin lock. A row never changes.
// News of a room replaces its row. A reader therefore holds the lock only to copy a handful of
// pointers. It turns the rows into text without it. The writer makes new rows before it takes the
// lock and drops old ones after it has released it.
//
// A reader takes rows_at_once rooms under one lock and then lets go. A page over 10 000 rooms is
// some 160 short looks, not one long one. The page is no snapshot: each room in it was so at some
// moment while the page was made. A room that was there all the while is in it exactly once.
//
// Invariants: 1. A room's worker is in the view.
//             2. totals() are the sums of the rooms in the view.
// Thread rule: apply() is the master's thread's alone. The others are for any thread.
// Bounds: the directory's. Errors: a reader that gets no lock within its limit gets a LockError.
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
  std::optional<wire::RoomPlace> place;  // null: unknown so far
  std::uint32_t capacity = 0;
  std::uint64_t taken = 0;                // seats that are reserved or occupied
  std::optional<std::uint32_t> occupied;  // null: the number of players is unknown
  CreationId creation;

  [[nodiscard]] std::uint64_t reserved() const {
    return taken - std::min<std::uint64_t>(taken, occupied.value_or(0));
  }
};

struct WorkerRow {
  WorkerId id;
  Incarnation incarnation;
  std::uint64_t link = 0;  // another link is another worker: none of its old rooms stays
  bool known = false;      // its WorkerState has arrived
  ZoneName zone;
  std::string address;
  std::uint16_t ping_port = 0;  // 0: players cannot measure how far away it is
  std::uint32_t room_limit = 0;
  std::uint32_t headroom = 0;
  wire::StartQueue start_queue;
  bool behind = false;
  RoomNumber newest_room;
  std::vector<ModeName> modes;
  std::vector<wire::PausedMode> paused;  // the paused ones of `modes`
};

[[nodiscard]] std::shared_ptr<const RoomRow> row_of(const Room& room);
[[nodiscard]] std::shared_ptr<const WorkerRow> row_of(const Worker& worker);

// These are the sums over the rooms of one mode.
struct ModeTotals {
  std::array<std::uint64_t, 3> rooms{};  // counts by phase; closed rooms are in no view
  std::uint64_t warm = 0;                // the rooms among these without a group
  std::uint64_t seats = 0;
  std::uint64_t reserved = 0;
  std::uint64_t occupied = 0;
  std::uint64_t unknown = 0;  // taken, in rooms of which it is unknown how many play

  [[nodiscard]] std::uint64_t taken() const { return reserved + occupied + unknown; }
  [[nodiscard]] std::uint64_t free() const { return seats - std::min(seats, taken()); }
  ModeTotals& operator+=(const ModeTotals& other);
  ModeTotals& operator-=(const ModeTotals& other);
  friend bool operator==(const ModeTotals&, const ModeTotals&) = default;
};
using ViewTotals = std::map<ModeName, ModeTotals>;  // a mode may have no room any more

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

  // In this order. Rooms of workers that are not in the view are ignored.
  struct Update {
    std::vector<WorkerId> workers_gone;
    std::vector<std::shared_ptr<const WorkerRow>> workers;
    std::vector<RoomId> rooms_gone;
    std::vector<std::shared_ptr<const RoomRow>> rooms;
  };
  // Trash is the rows that an update replaced. A thread that has the time drops it.
  class Trash;

  // False: a reader is looking and nothing was changed; try again later. Never waits.
  [[nodiscard]] bool apply(Update& update, Trash& trash);

  // At most `limit` rooms in the order of their ids, from the one after `after`.
  [[nodiscard]] sync::LockResult<std::vector<RoomSight>> rooms(std::optional<RoomId> after,
                                                               std::size_t limit) const;
  // Null pointers if the room is unknown.
  [[nodiscard]] sync::LockResult<RoomSight> room(const RoomId& id) const;
  [[nodiscard]] sync::LockResult<std::vector<WorkerSight>> workers() const;
  [[nodiscard]] sync::LockResult<TotalSight> totals() const;

  [[nodiscard]] sync::RwSpinLock& lock() const { return lock_; }  // lets tests hold the lock

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
  // One look under one lock: at most rows_at_once more.
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
