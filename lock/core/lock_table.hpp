// All locks of one master: one machine a key. A machine is made at first use and swept when idle.
//
// It stands between the mesh (links to the other masters) and the matching. Sans-IO: events in,
// actions out. It adds the parts that all strategies share: the bounded wait (LockOptions::wait),
// the bounded hold (lock.lease_ms), the join grace, Hello in parts, counters, the sweep.
//
// Invariants: 1. Every Acquire ends in exactly one of Granted, Lost or the caller's abandon().
//             2. The caller holds a key from Granted until release() or Lost.
//             3. After start nothing is granted until all configured peers were heard of or the
//                grace has lapsed. A server's strategy waits for the server instead.
//             4. A key is forgotten only when we do not want it and know of no peer that does.
//             5. No token is granted at or below the floor. The floor is the highest counter that
//                was forgotten here or that peers and workers told when they connected.
// Counted: LockMessages, with their exact size on the wire; Hellos are not.
// Thread rule: one owner. Bounds: options.keys machines. A full table forgets an idle key for a new
// one. Without an idle key, acquire() is Lost at once; a peer's question is still answered.
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
  Duration idle{std::chrono::seconds{60}};  // a key idle for so long is forgotten
  std::size_t keys = 100'000;
};

// Everything the table asks its driver to do, in order.
struct SendToPeer {
  MasterId to;
  MeshMessage message;
};
struct KeyGranted {
  GroupKey key;
  FencingToken token;
  LockValue value;
  bool needs_fence = false;
  // Other writers have told us these themselves since we last held the lock. `value` is the newest
  // of all. Its writer has seen these and may have kept silent about them.
  std::vector<std::string> earlier;
};
struct KeyLost {
  GroupKey key;
  LostReason reason = LostReason::wait_timeout;
};
struct OrderEngine {  // strategies of a server only
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
  std::uint64_t engine_failures = 0;  // waits and holds that the server's absence ended
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  DurationHistogram waits;  // waits that ended with a grant
  DurationHistogram holds;
};

enum class Want : std::uint8_t { nothing, waiting, holding };

// One line of GET /v1/locks.
struct KeyStatus {
  GroupKey key;
  Want want = Want::nothing;  // ours
  std::string_view state;  // "idle", "lurking", "soliciting", "acquired" …: the strategy's own word
  FencingToken token;
  Duration since{};  // time of our present waiting, holding or idling, by the driver's clock
};

class LockTable {
 public:
  LockTable(LockTableOptions options, TimePoint now);
  ~LockTable();
  LockTable(LockTable&&) noexcept;
  LockTable& operator=(LockTable&&) noexcept;

  // --- the caller's side. REQUIRES as in lock_machine.hpp
  void acquire(const GroupKey& key, TimePoint now, TableActions& out);
  void abandon(const GroupKey& key, TimePoint now, TableActions& out);
  void release(const GroupKey& key, FencingToken token, LockValue value, TimePoint now,
               TableActions& out);

  // --- the mesh's side

  // A connection to `peer` was made: sends our MeshHello, the first message on it. A peer that is
  // not configured gets nothing, and all its messages are refused.
  void connected(MasterId peer, const std::vector<WorkerId>& workers, TimePoint now,
                 TableActions& out);
  void disconnected(MasterId peer, TimePoint now, TableActions& out);
  // False: the peer broke the protocol (a LockMessage before its Hello), and its connection should
  // be closed.
  [[nodiscard]] bool receive(MasterId peer, const MeshMessage& message, TimePoint now,
                             TableActions& out);

  // Why the other masters must not become these now; nothing if they may (master_lists.hpp).
  [[nodiscard]] std::optional<ListRefusal> list_refusal(const std::vector<MasterId>& peers) const;
  // Takes the list over. Removed masters count as disconnected. The others are told the list.
  void list(const std::vector<MasterId>& peers, TimePoint now, TableActions& out);

  // --- the engine's side, with a strategy of a server
  void engine_said(const GroupKey& key, const EngineReply& reply, TimePoint now, TableActions& out);
  // Says whether the server can be reached. Waits go on and end by themselves if it stays away.
  void engine_ready(bool ready);

  // A worker has seen tokens up to this counter. It may have outlived all masters.
  void raise_floor(std::uint64_t counter);

  // The earliest time at which tick() has something to do; TimePoint::max() if never.
  [[nodiscard]] TimePoint next_tick() const;
  void tick(TimePoint now, TableActions& out);

  // --- looking
  [[nodiscard]] bool joined() const;  // see invariant 3; /readyz
  // It has not joined: the server that has the locks was not reached yet.
  [[nodiscard]] bool awaits_server() const;
  [[nodiscard]] bool up(MasterId peer) const;
  [[nodiscard]] const LockStatistics& statistics() const;
  [[nodiscard]] std::vector<KeyStatus> status(std::size_t limit) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::lock
