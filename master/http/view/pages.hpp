// The pages are the JSON answers to GET about the directory, the links and the locks.
//
// Rooms and workers come from the view. The master's thread copies the few facts about masters and
// locks when the request arrives. The second thread makes the text.
//
// Thread rule: …_json: any thread; …_facts: the master's thread. Bounds: at most `page_limit` rooms
// per page, and `lock_limit` locks; for other pages the number of nodes. Errors: those of the view.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "master/core/master_core.hpp"
#include "master/http/view/directory_view.hpp"
#include "master/http/view/metrics_page.hpp"

namespace fixkeep::master {

inline constexpr std::size_t page_limit = 1000;
inline constexpr std::size_t lock_limit = 1000;

struct RoomPage {
  std::optional<RoomId> after;  // last room of the previous page
  std::size_t limit = page_limit;
};

[[nodiscard]] sync::LockResult<std::string> rooms_json(const DirectoryView& view,
                                                       const RoomPage& page);
// Returns the room as JSON, or an empty text if the room is unknown.
[[nodiscard]] sync::LockResult<std::string> room_json(const DirectoryView& view,
                                                      const RoomId& room);
// Returns the existing rooms of `rooms` as "rooms", and the ids of the missing rooms as
// "rooms_gone".
[[nodiscard]] sync::LockResult<std::string> changed_rooms_json(const DirectoryView& view,
                                                               const std::set<RoomId>& rooms);
// A worker in quarantine (master/core/workers/quarantine.hpp).
struct QuarantineFacts {
  WorkerId worker;
  Misdeed misdeed = Misdeed::silent;
  std::uint32_t times = 0;
  Duration left{};
  ModeName mode;  // mode without orders; empty: all modes
};
[[nodiscard]] std::vector<QuarantineFacts> quarantine_facts(const MasterCore& core, TimePoint now);
[[nodiscard]] sync::LockResult<std::string> workers_json(
    const DirectoryView& view, const std::vector<QuarantineFacts>& quarantined);

struct MasterRow {
  MasterId master;
  std::string address;  // address of its mesh port
};
struct MasterFacts {
  MasterRow row;
  bool self = false;
  bool up = false;
  bool joined = false;  // known only for this master
};
[[nodiscard]] std::vector<MasterFacts> masters_facts(MasterId self,
                                                     const std::vector<MasterRow>& configured,
                                                     const MasterCore& core);
[[nodiscard]] std::string masters_json(const std::vector<MasterFacts>& masters);

// Returns text like "7.m2".
[[nodiscard]] std::string text_of(const FencingToken& token);

struct LocksFacts {
  std::string strategy;
  lock::LockStatistics statistics;
  std::uint64_t fences = 0;
  std::vector<lock::KeyStatus> locks;
  TimePoint now;
  std::optional<EngineFacts> engine;  // null: the lock is in the masters
};
[[nodiscard]] LocksFacts locks_facts(std::string strategy, const MasterCore& core, TimePoint now,
                                     std::optional<EngineFacts> engine);
[[nodiscard]] std::string locks_json(const LocksFacts& facts);

}  // namespace fixkeep::master
