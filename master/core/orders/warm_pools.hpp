// WarmPools knows the wanted number of warm rooms of each mode and this master's time to act.
//
// Rooms without a group form a pool (common/wire/warm_pool.hpp) with a lock, a fence and orders
// like any group. If the directory shows fewer or more rooms than wanted, the group of the pool is
// `due`. It acquires its lock as if claims were waiting. It fences in every hold: the workers show
// their rooms of the pool and make older orders void. Only then the difference to order or close is
// counted (room_orders.hpp). Masters that notice the same shortage at the same instant thus
// together make the wanted number of rooms. To spare the lock they take turns by rank if the
// difference is still there.
//
// - Groups often come together. Their rooms are replaced together after `gather`, not while workers
//   are busy with them.
// - Claims go first. While a claim of this master waits for capacity nothing is added. Workers keep
//   their last place for claims.
// - Surplus rooms are closed only after `too_many_for`: the wanted number goes to and fro with the
//   rooms that have a group.
// - After a failure (no worker starts a room, or one does not come up) the pool rests. Each rest is
//   longer, between `rest_least` and `rest_most`.
// - Workers close the rooms of pools that no master names (wire::KeepWarm).
//
// Invariant: a pool is ordered for only while it is due. Its Group is in memory as long.
// Thread rule: one owner. Bounds: the modes with a rule; WarmRule::most rooms each. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/warm_pool.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/group_table.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

class WarmPools {
 public:
  static constexpr Duration turn{std::chrono::milliseconds{50}};  // one master before the next
  static constexpr Duration gather{std::chrono::milliseconds{100}};
  static constexpr Duration too_many_for{std::chrono::seconds{10}};
  static constexpr Duration rest_least{std::chrono::milliseconds{500}};
  static constexpr Duration rest_most{std::chrono::seconds{10}};
  static constexpr Duration forgiven_after{std::chrono::minutes{1}};

  // All outlive the object.
  WarmPools(const MasterOptions& options, Directory& directory, GroupTable& groups);

  [[nodiscard]] bool any() const { return !pools_.empty(); }
  // These modes count from now on. The rooms of other pools are closed.
  void renew(const std::vector<WarmMode>& modes);
  [[nodiscard]] wire::KeepWarm keep_warm() const;
  // Number of present masters that have their turn before this one.
  void set_rank(std::uint32_t rank) { rank_ = rank; }

  // Looks at all pools with changed rooms or turns. True: a group is to be run.
  bool look(TimePoint now);
  // The same for one group, before it is run; nothing if it is no pool of ours.
  void look_at(Group& group, TimePoint now);
  [[nodiscard]] TimePoint next_tick() const { return next_look_; }  // TimePoint::max() if never

  // The number of missing rooms; below zero: of surplus ones. REQUIRES: the group is a pool of
  // ours.
  [[nodiscard]] std::int64_t missing(const Group& group) const;
  // Lists the surplus rooms, starting rooms first.
  [[nodiscard]] std::vector<RoomId> too_many(const Group& group) const;

  // A room of the pool did not come up or ended by itself, or no worker could start one.
  void failed(const GroupKey& pool, TimePoint now);
  // Rooms of the pool are being closed. The directory will show it by the workers' news.
  void closing(const GroupKey& pool, TimePoint now);

 private:
  struct Pool {
    WarmMode mode;
    std::int64_t missing = 0;           // result of the last look
    TimePoint turn = TimePoint::max();  // this master's turn; max() while nothing is missing
    TimePoint rests_until = TimePoint::min();
    TimePoint failed_at = TimePoint::min();
    Duration rest{};  // the latest
  };

  // Whether the pool is due.
  [[nodiscard]] bool look_at(const GroupKey& key, Pool& pool, const Group* group, TimePoint now);
  [[nodiscard]] std::int64_t missing(const GroupKey& key, const Pool& pool,
                                     const Group* group) const;

  // All that decides beside the time: while it stays, only a turn can make a pool due.
  using Circumstances = std::tuple<std::uint64_t, std::uint64_t, bool, std::uint32_t>;
  [[nodiscard]] Circumstances circumstances() const;

  Directory& directory_;
  GroupTable& groups_;
  std::map<GroupKey, Pool> pools_;
  std::uint32_t rank_ = 0;
  Circumstances seen_;
  TimePoint next_look_ = TimePoint::max();
};

}  // namespace fixkeep::master
