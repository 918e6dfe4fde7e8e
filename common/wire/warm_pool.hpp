// The pools of warm rooms and their own messages between masters and workers. Warm rooms are ready
// and have no player group yet.
//
// A pool is a group like others with a lock, a fence and promises of its own. Players cannot name
// it: its key begins with a character that their keys percent-encode (master/rules/group_key.hpp).
// A pool has the rooms of one mode and one capacity. Masters with different configurations thus
// never confuse each other's rooms. Thread rule: values. Bounds: limits.hpp; a key is shorter than
// limits::group_bytes. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::wire {

// "*duel/8"
[[nodiscard]] inline GroupKey warm_pool_of(const ModeName& mode, std::uint32_t capacity) {
  return GroupKey{"*" + mode.text() + "/" + std::to_string(capacity)};
}

[[nodiscard]] inline bool is_warm_pool(const GroupKey& group) {
  return group.text().starts_with('*');
}

// Games and people are told this: nothing while a room is warm.
[[nodiscard]] inline std::string told_group(const GroupKey& group) {
  return is_warm_pool(group) ? std::string{} : group.text();
}

// The warm pools that the sender wants to have; those that it named before are forgotten. A worker
// closes the rooms of a pool that no connected master names as it closes empty ones. Not answered.
struct KeepWarm {
  std::vector<GroupKey> pools;

  friend bool operator==(const KeepWarm&, const KeepWarm&) = default;
};

// Closes a surplus warm room. Refused like a SpawnRoom with a too old basis; without effect if a
// group has got the room meanwhile. Not answered: the news show it.
struct CloseWarmRoom {
  GroupKey pool;
  RoomNumber room;
  CreationId order;  // its token belongs to the hold under which it is sent
  FencingToken basis;

  friend bool operator==(const CloseWarmRoom&, const CloseWarmRoom&) = default;
};

}  // namespace fixkeep::wire
