// The messages between masters: locks, and the lists of all masters.
//
// Thread rule: values. Bounds: limits.hpp. Errors: none here; the codec refuses what is out of
// bounds.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::lock {

// A value travels with a lock. The bytes belong to the caller. `stamp` is the fencing token under
// which they were written: a higher stamp is newer.
struct LockValue {
  FencingToken stamp;
  FencingToken fence;      // the newest fence that the lock's holders know of
  bool uncertain = false;  // the writer gave up on an order whose fate it does not know
  std::string bytes;

  friend auto operator<=>(const LockValue&, const LockValue&) = default;
  friend bool operator==(const LockValue&, const LockValue&) = default;
};

// One message of a mesh lock. `kind` is the strategy's own enumeration; a strategy ignores kinds
// that it does not know.
struct LockMessage {
  GroupKey key;
  std::uint8_t kind = 0;
  std::uint64_t round = 0;
  FencingToken token;  // the highest that the sender knows for the key
  LockValue value;     // the newest that the sender knows for the key
  // A question says that the sender had heard the receiver's Hello, so it does not hold without
  // the answer on this connection.
  bool awaited = false;

  friend auto operator<=>(const LockMessage&, const LockMessage&) = default;
  friend bool operator==(const LockMessage&, const LockMessage&) = default;
};

// The first messages on every new connection between masters: what each side is asking for or
// holding. A long list is split; the peer counts as up with the part marked `last`.
struct MeshHello {
  std::vector<LockMessage> outstanding;
  std::vector<WorkerId> workers;  // the caller's: those that the sender has a link to
  bool last = true;
  std::uint64_t highest_counter = 0;  // highest of all tokens that the sender knows, over all keys
  std::vector<MasterId> masters;      // see MasterList; empty: an earlier version, without a list

  friend bool operator==(const MeshHello&, const MeshHello&) = default;
};

// The sender's list of masters after a change, with the sender itself.
struct MasterList {
  std::vector<MasterId> masters;  // each once, ascending

  friend bool operator==(const MasterList&, const MasterList&) = default;
};

using MeshMessage = std::variant<LockMessage, MeshHello, MasterList>;

}  // namespace fixkeep::lock
