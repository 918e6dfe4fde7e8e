// Pools of warm rooms, and the messages about them between masters and workers. A warm room is
// ready and has no player group yet.
//
// A pool is a group with its own lock, fence and promises. Players cannot name this group: its key
// begins with a character that is percent-encoded in their keys (master/rules/group_key.hpp). A
// pool contains rooms of one mode and one capacity. Thus masters with different configurations
// never confuse their rooms. Thread rule: values. Bounds: limits.hpp; a key is shorter than
// limits::group_bytes. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::wire {

// For example "*duel/8".
[[nodiscard]] inline GroupKey warm_pool_of(const ModeName& mode, std::uint32_t capacity) {
  return GroupKey{"*" + mode.text() + "/" + std::to_string(capacity)};
}

[[nodiscard]] inline bool is_warm_pool(const GroupKey& group) {
  return group.text().starts_with('*');
}

// The group's name for games and people; empty while a room is warm.
[[nodiscard]] inline std::string told_group(const GroupKey& group) {
  return is_warm_pool(group) ? std::string{} : group.text();
}

// The warm pools that the sender wants. Replaces the sender's earlier list. If no connected master
// wants a pool, a worker closes the rooms of this pool in the same way as empty rooms. The worker
// sends no answer.
struct KeepWarm {
  std::vector<GroupKey> pools;

  friend bool operator==(const KeepWarm&, const KeepWarm&) = default;
};

// Closes a surplus warm room. If the basis is too old, the worker refuses, as for a SpawnRoom. If a
// group has got the room meanwhile, the message has no effect. The worker sends no answer, but
// RoomsChanged reports the close.
struct CloseWarmRoom {
  GroupKey pool;
  RoomNumber room;
  CreationId order;  // its token is the token of the sender's hold
  FencingToken basis;

  friend bool operator==(const CloseWarmRoom&, const CloseWarmRoom&) = default;
};

}  // namespace fixkeep::wire
