// The record of a key's last release, in etcd, ZooKeeper, PostgreSQL and Kubernetes. This file also
// makes names for keys in these servers.
//
// A release writes the record and deletes the holder's entry in one step. The record contains the
// deleted entry's ticket. If this is the ticket of the entry before its own, the next holder knows
// that its predecessor released the lock. The record's bytes are one line of numbers, then the raw
// bytes of the value.
//
// Thread rule: values. Bounds: those of a LockValue; no number is above largest_counter.
// Errors: if the bytes are not a record, decode_record() returns nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lock/core/lock_machine.hpp"

namespace fixkeep::lock {

struct LockRecord {
  std::uint64_t ticket = 0;  // ticket of the entry that released; see QueueStanding
  // A token is the server's number plus `lift`. `lift` grows if a master or a worker already knows
  // a token of this height or higher, for example because the server has lost its memory.
  std::uint64_t lift = 0;
  LockValue value;

  friend bool operator==(const LockRecord&, const LockRecord&) = default;
};

[[nodiscard]] std::string encode_record(const LockRecord& record);
[[nodiscard]] std::optional<LockRecord> decode_record(std::string_view bytes);

// Encodes any bytes as one component of a path: letters, digits, '-', '_' and ':' are unchanged,
// all other bytes become %XX. Injective, so no two groups share a lock. No group's path lies below
// another group's path.
[[nodiscard]] std::string path_component(std::string_view name);

}  // namespace fixkeep::lock
