// WarmPools computes the wanted number of warm rooms for each mode, and when this master acts.
//
// Rooms without a group form a pool (common/wire/warm_pool.hpp) with a lock, a fence and orders
// like any group. If the directory shows fewer or more rooms than wanted, the pool's group is
// `due`. A due group acquires its lock like a group with waiting claims. Every hold fences: the
// workers show their rooms of the pool and make older orders void. Only then the holder counts how
// many rooms to order or close (room_orders.hpp). Masters that see the same shortage at the same
// instant thus make the wanted number together. To spare the lock, masters take turns by rank while
// the difference remains.
//
// - Groups often arrive together. Their warm rooms are replaced together after `gather`, not while
//   workers are busy with the groups.
// - Claims go first. While a claim of this master waits for capacity, no warm room is ordered.
//   Workers keep their last place for claims.
// - Surplus rooms are closed only after `too_many_for`: the wanted number rises and falls with the
//   number of rooms in use.
// - After a failure (no worker starts a room, or a room fails to boot) the pool rests. Each rest is
//   longer, between `rest_least` and `rest_most`.
// - Workers close the rooms of pools that no master names (wire::KeepWarm).
//
// Invariant: rooms of a pool are ordered only while the pool is due. Its Group is in memory for
// this time.
// Thread rule: one owner. Bounds: the modes with a rule; for each at most `WarmRule::most` rooms.
// Errors: none.
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
  static constexpr Duration turn{std::chrono::milliseconds{50}};  // delay per rank
  static constexpr Duration gather{std::chrono::milliseconds{100}};
  static constexpr Duration too_many_for{std::chrono::seconds{10}};
  static constexpr Duration rest_least{std::chrono::milliseconds{500}};
  static constexpr Duration rest_most{std::chrono::seconds{10}};
  static constexpr Duration forgiven_after{std::chrono::minutes{1}};

  // The arguments outlive the object.
  WarmPools(const MasterOptions& options, Directory& directory, GroupTable& groups);

  [[nodiscard]] bool any() const { return !pools_.empty(); }
  // Replaces the list of modes that have warm rooms. The rooms of other pools are closed.
  void renew(const std::vector<WarmMode>& modes);
  [[nodiscard]] wire::KeepWarm keep_warm() const;
  // `rank`: how many connected masters have their turn before this master.
  void set_rank(std::uint32_t rank) { rank_ = rank; }

  // Checks the pools if their Circumstances have changed, or if a turn of this master or the end of
  // a rest has come. Returns whether a group was marked.
  bool look(TimePoint now);
  // Checks one group before its run. Has no effect if the group is no configured pool.
  void look_at(Group& group, TimePoint now);
  [[nodiscard]] TimePoint next_tick() const { return next_look_; }  // TimePoint::max(): never

  // Returns the number of missing rooms; negative: surplus rooms. REQUIRES: a configured pool.
  [[nodiscard]] std::int64_t missing(const Group& group) const;
  // Lists the surplus rooms, starting rooms first.
  [[nodiscard]] std::vector<RoomId> too_many(const Group& group) const;

  // Call after a room of the pool failed to boot or ended itself, or if no worker could start a
  // room.
  void failed(const GroupKey& pool, TimePoint now);
  // Call when rooms of the pool are being closed. The directory changes later, with the workers'
  // news.
  void closing(const GroupKey& pool, TimePoint now);

 private:
  struct Pool {
    WarmMode mode;
    std::int64_t missing = 0;           // result of the last check
    TimePoint turn = TimePoint::max();  // this master's turn; max() while nothing is missing
    TimePoint rests_until = TimePoint::min();
    TimePoint failed_at = TimePoint::min();
    Duration rest{};  // length of the last rest
  };

  // Returns whether the pool is due.
  [[nodiscard]] bool look_at(const GroupKey& key, Pool& pool, const Group* group, TimePoint now);
  [[nodiscard]] std::int64_t missing(const GroupKey& key, const Pool& pool,
                                     const Group* group) const;

  // Everything that can make a pool due, except time. While these values do not change, only this
  // master's turn or the end of a rest can make a pool due.
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
