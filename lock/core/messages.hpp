// The messages between masters: about locks and about the list of all masters.
//
// Thread rule: values. Bounds: limits.hpp. Errors: none here; the codec refuses messages beyond the
// bounds.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::lock {

// The value that masters send along with a lock. The caller defines the bytes. `stamp` is the
// fencing token of the hold that wrote the bytes: a higher stamp is newer.
struct LockValue {
  FencingToken stamp;
  FencingToken fence;      // newest fence that the lock's holders know
  bool uncertain = false;  // the writer does not know the outcome of one of its orders
  std::string bytes;

  friend auto operator<=>(const LockValue&, const LockValue&) = default;
  friend bool operator==(const LockValue&, const LockValue&) = default;
};

// One master's request in a token or a promise, or a forwarded request.
struct LockTurn {
  MasterId master;
  std::uint64_t number = 0;  // newest request that the sender knows
  bool waits = false;        // the token has not come for this request yet

  friend auto operator<=>(const LockTurn&, const LockTurn&) = default;
  friend bool operator==(const LockTurn&, const LockTurn&) = default;
};

// One message of a mesh lock. `kind` is the strategy's own enumeration; a strategy ignores kinds
// that it does not know.
struct LockMessage {
  GroupKey key;
  std::uint8_t kind = 0;
  std::uint64_t round = 0;
  FencingToken token;  // highest token that the sender knows for the key
  LockValue value;     // newest value that the sender knows for the key
  // In a request: true if the sender already had the receiver's Hello. Such a sender does not hold
  // without the receiver's answer on this connection.
  bool awaited = false;
  // Only locks with a token: the number of the token or the ballot, and requests. Requests that
  // wait are in the order of their turns.
  FencingToken epoch;
  std::vector<LockTurn> turns;

  friend auto operator<=>(const LockMessage&, const LockMessage&) = default;
  friend bool operator==(const LockMessage&, const LockMessage&) = default;
};

// The first messages on every new connection between masters: the sender's open requests and holds.
// A long list is sent in parts. The receiver regards the sender as up as soon as the part marked
// `last` arrives.
struct MeshHello {
  std::vector<LockMessage> outstanding;
  std::vector<WorkerId> workers;  // workers linked to the sender, given by the caller
  bool last = true;
  std::uint64_t highest_counter = 0;  // highest counter that the sender knows, over all keys
  std::vector<MasterId> masters;      // see MasterList; empty if the sender's version has no lists

  friend bool operator==(const MeshHello&, const MeshHello&) = default;
};

// The sender's list of masters after a change, including the sender.
struct MasterList {
  std::vector<MasterId> masters;  // ascending, without duplicates

  friend bool operator==(const MasterList&, const MasterList&) = default;
};

using MeshMessage = std::variant<LockMessage, MeshHello, MasterList>;

}  // namespace fixkeep::lock
