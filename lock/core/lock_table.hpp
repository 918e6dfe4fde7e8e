// All locks of one master, with one machine for each key. The table makes a machine at the key's
// first use and deletes it after an idle time (the sweep).
//
// The table connects the matching with the mesh (the links to the other masters). Sans-IO: events
// in, actions out. The table adds the parts that all strategies share: the bounded wait (`wait` of
// the options), the bounded hold (lock.lease_ms), the join grace, Hello in parts, counters, the
// sweep.
//
// Invariants: 1. Every Acquire ends in exactly one of Granted, Lost or the caller's abandon().
//             2. The caller holds a key from Granted until release() or Lost.
//             3. After the start, grants begin only when all configured peers have sent a Hello or
//                when the grace has lapsed. A strategy with a server waits for the server instead.
//             4. A key is forgotten only if we do not want the key and know of no peer that wants
//                it.
//             5. Every granted token is above the floor. The floor is the highest counter that was
//                forgotten here or reported by peers and workers when they connected.
// The statistics count LockMessages with their exact size on the wire, but not Hellos.
// Thread rule: one owner. Bounds: options.keys machines. A full table forgets an idle key to make
// room for a new key. If no key is idle, acquire() immediately ends in Lost, but a peer's request
// is answered.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/duration_histogram.hpp"
#include "lock/core/lock_machine.hpp"
#include "lock/core/master_lists.hpp"
#include "lock/core/server/remote.hpp"

namespace fixkeep::lock {

struct LockTableOptions {
  std::string strategy = "multiphase";  // a name in lock_strategies.hpp
  MasterId self;
  std::vector<MasterId> peers;  // every other configured master
  Duration join_grace{std::chrono::seconds{5}};
  Duration wait{std::chrono::seconds{10}};  // longest time from acquire() to Granted
  Duration lease{std::chrono::seconds{5}};  // longest time from Granted to release()
  bool always_fence = false;
  Quorum quorum = Quorum::grid;
  Duration idle{std::chrono::seconds{60}};  // a key is forgotten after this idle time
  std::size_t keys = 100'000;
  Rules rules;  // a master has all rules on; see rules.hpp
};

// The driver performs these actions for the table in their order.
struct SendToPeer {
  MasterId to;
  MeshMessage message;
};
struct KeyGranted {
  GroupKey key;
  FencingToken token;
  LockValue value;
  bool needs_fence = false;
  // Older values that we received since our last hold, each from the master that wrote it. The
  // writer of `value` knew them, but `value` may lack their contents.
  std::vector<std::string> earlier;
};
struct KeyLost {
  GroupKey key;
  LostReason reason = LostReason::wait_timeout;
};
struct OrderEngine {  // only for strategies with a server
  GroupKey key;
  AskEngine order;
};
using TableAction = std::variant<SendToPeer, KeyGranted, KeyLost, OrderEngine>;
using TableActions = std::vector<TableAction>;

struct LockStatistics {
  std::uint64_t acquisitions = 0;
  std::uint64_t abandons = 0;
  std::uint64_t wait_timeouts = 0;
  std::uint64_t lease_timeouts = 0;
  std::uint64_t engine_failures = 0;  // waits and holds ended by a failure of the server
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  DurationHistogram waits;  // waits that ended with a grant
  DurationHistogram holds;
};

enum class Want : std::uint8_t { nothing, waiting, holding };

// One line of GET /v1/locks.
struct KeyStatus {
  GroupKey key;
  Want want = Want::nothing;  // state of this master's own wait or hold
  std::string_view state;  // "idle", "lurking", "soliciting", "acquired" …: a state of the strategy
  FencingToken token;
  Duration since{};  // start of our present wait, hold or idle time, by the driver's clock
};

class LockTable {
 public:
  LockTable(LockTableOptions options, TimePoint now);
  ~LockTable();
  LockTable(LockTable&&) noexcept;
  LockTable& operator=(LockTable&&) noexcept;

  // --- the caller's side. REQUIRES: see lock_machine.hpp
  void acquire(const GroupKey& key, TimePoint now, TableActions& out);
  void abandon(const GroupKey& key, TimePoint now, TableActions& out);
  void release(const GroupKey& key, FencingToken token, LockValue value, TimePoint now,
               TableActions& out);

  // --- the mesh's side

  // Call it when a connection to `peer` was made. Sends our MeshHello as the connection's first
  // message. A peer that is not configured gets no message, and all messages from this peer are
  // refused.
  void connected(MasterId peer, const std::vector<WorkerId>& workers, TimePoint now,
                 TableActions& out);
  void disconnected(MasterId peer, TimePoint now, TableActions& out);
  // Returns false if the peer broke the protocol, for example with a LockMessage before its Hello.
  // The caller should then close the connection.
  [[nodiscard]] bool receive(MasterId peer, const MeshMessage& message, TimePoint now,
                             TableActions& out);

  // Returns the reason why the list `peers` is refused now, or nothing if the list is allowed
  // (master_lists.hpp).
  [[nodiscard]] std::optional<ListRefusal> list_refusal(const std::vector<MasterId>& peers) const;
  // Adopts the list, disconnects removed masters and sends the list to the other masters.
  void list(const std::vector<MasterId>& peers, TimePoint now, TableActions& out);

  // --- the engine's side, only for strategies with a server
  void engine_said(const GroupKey& key, const EngineReply& reply, TimePoint now, TableActions& out);
  // Notes whether the server is reachable. While the server is unreachable, an open wait continues
  // until its time limit.
  void engine_ready(bool ready);

  // Makes all later tokens higher than `counter`, the highest counter that a worker has seen. A
  // worker that has run longer than all masters may know a higher token than they do.
  void raise_floor(std::uint64_t counter);

  // The earliest time at which tick() has something to do; TimePoint::max() if never.
  [[nodiscard]] TimePoint next_tick() const;
  void tick(TimePoint now, TableActions& out);

  // --- queries
  [[nodiscard]] bool joined() const;  // see invariant 3; /readyz
  // True if the locks are in a server that was not reached since our start.
  [[nodiscard]] bool awaits_server() const;
  [[nodiscard]] bool up(MasterId peer) const;
  [[nodiscard]] const LockStatistics& statistics() const;
  [[nodiscard]] std::vector<KeyStatus> status(std::size_t limit) const;
  // The whole state of the key's machine. Empty: the key is not in memory, or its lock is in a
  // server.
  [[nodiscard]] std::string bytes_of(const GroupKey& key) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::lock
