// The texts of a live feed: a snapshot of a master's state, and the changes since the snapshot.
//
// Snapshots and changes are JSON objects with the keys of the pages (master/http/view/pages.hpp):
// "rooms" in a change has the same rows as GET /v1/rooms. docs/api-operators.md explains each key.
//
// Thread rule: values and functions of one thread at a time. The master's thread collects the
// facts; the second thread makes the texts. Bounds: see pages.hpp. Errors: those of the view.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/duration_histogram.hpp"
#include "master/http/feed/pool_watch.hpp"
#include "master/http/match/desk.hpp"
#include "master/http/view/pages.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

inline constexpr std::size_t snapshot_rooms = 20'000;

// This data never changes while a master runs.
struct FeedIdentity {
  std::string node;  // "m1"
  std::string cluster;
  std::vector<Mode> modes;
};

// The master's thread copies these facts for one frame.
struct FrameFacts {
  std::vector<MasterFacts> masters;
  std::vector<QuarantineFacts> quarantined;
  LocksFacts locks;
  MasterCounters counters;
  WaitingFacts waiting;
  PoolWatch::Facts pools;           // null: no pools
  DurationHistogram match_times;    // times of all seated requests
  DurationHistogram boot_times;     // BootWatch::times()
  std::uint64_t duplicates = 0;     // DuplicateWatch
  std::set<RoomId> rooms;           // rooms that may have changed
  std::vector<std::string> events;  // JSON objects, in order
  std::uint64_t missed = 0;         // number of events left out
  std::int64_t at_ms = 0;           // time of the frame, in ms since 1970
  std::int64_t steady_zero_ms = 0;  // constant: zero of the steady clock, in ms since 1970
};

// Remembers the sent state, so a change contains only the differences.
class FrameWriter {
 public:
  explicit FrameWriter(const FeedIdentity& identity);

  // Returns the changes since the last call. Returns an empty text if nothing has changed.
  [[nodiscard]] sync::LockResult<std::string> change(const DirectoryView& view,
                                                     const FrameFacts& facts);
  // `events`: the last events, including those in `facts`. REQUIRES: change() was called with the
  // same facts before.
  [[nodiscard]] sync::LockResult<std::string> snapshot(
      const DirectoryView& view, const FrameFacts& facts,
      const std::vector<std::string>& events) const;

 private:
  // Adds to `rooms` the rooms that were lost with their worker or its link, because the news does
  // not name such rooms.
  [[nodiscard]] sync::LockResult<void> add_lost(const DirectoryView& view, std::set<RoomId>& rooms);

  std::string identity_;                     // members of a JSON object
  std::map<std::string, std::string> told_;  // key: page; value: members of a JSON object
  std::map<WorkerId, std::uint64_t> links_;  // links of the workers shown last
  std::set<RoomId> shown_;                   // rooms that readers have seen
  bool begun_ = false;
};

}  // namespace fixkeep::master
