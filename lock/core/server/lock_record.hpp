// The record that etcd and ZooKeeper keep of a key that is not held. Names for their paths are made
// here, too.
//
// The release writes the record in one step with the end of the holder's entry. The record names
// that entry, so the next holder can tell whether its predecessor released. Its bytes are one line
// of numbers and then the raw bytes of the value.
//
// Thread rule: values. Bounds: the value's; no number is above largest_counter.
// Errors: bytes that are no record give no value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lock/core/lock_machine.hpp"

namespace fixkeep::lock {

struct LockRecord {
  std::uint64_t ticket = 0;  // ticket of the entry that released; see QueueStanding
  // Tokens are the server's numbers plus this. It is above 0 after a worker told a holder a higher
  // token than the server's: the server had lost its memory.
  std::uint64_t lift = 0;
  LockValue value;

  friend bool operator==(const LockRecord&, const LockRecord&) = default;
};

[[nodiscard]] std::string encode_record(const LockRecord& record);
[[nodiscard]] std::optional<LockRecord> decode_record(std::string_view bytes);

// Any bytes as one component of a path: letters, digits, '-', '_' and ':' stay, all others become
// %XX. Injective: no two groups share a lock. No group lies within another one's prefix.
[[nodiscard]] std::string path_component(std::string_view name);

}  // namespace fixkeep::lock
