// The lock of etcd, ZooKeeper, PostgreSQL and Kubernetes for one key on one master, sans-IO.
//
// Source: the lock recipe of ZooKeeper's documentation and of etcd's concurrency package. A master
// that wants the key enters a queue in the server. The oldest entry holds the key. Every other
// master watches the entry directly before its own entry, so a release wakes only one waiter.
// Entries belong to a session (etcd: a lease). The server ends the session if its owner is silent
// for too long.
//
// The machine decides the next request to the server. The engine sends the request and reports the
// result.
// Fault model: that of the server. The engine may repeat a request until it is answered. The
// engine's names for entries ensure that a late repetition finds its own entry or nothing.
//
// Invariants: 1. At most one request is outstanding. Until the answer arrives, calls by the master
//                only change how the answer is used.
//             2. The machine leaves its entry before it makes another entry.
//             3. Granted is reported only for the oldest entry, and only while its session is open.
//             4. A grant needs a fence, unless the last release was made by the entry directly
//                before our entry and left no `uncertain` value. A master may have vanished in
//                between and left an entry but no record.
//             5. Tokens of a key grow with the server's numbers. After the server lost its memory,
//                tokens continue above the highest token known to this master or the record.
// Thread rule: a value, one owner. Bounds: O(1). Errors: Lost{engine_failure} when the session ends
// while the key is held.
#pragma once

#include <cstdint>
#include <optional>

#include "lock/core/lock_machine.hpp"
#include "lock/core/server/lock_record.hpp"
#include "lock/core/server/remote.hpp"

namespace fixkeep::lock {

// The server's report about our entry.
struct QueueStanding {
  bool present = true;       // false: the entry does not exist, or no longer exists
  bool oldest = false;       // false: the engine watches the entry directly before our entry
  std::uint64_t number = 0;  // grows with each entry of the key until the server loses its memory
  // The entry's place in the order of entering. 0: we wait without an entry. The strategies without
  // a queue (`postgres`, `kubernetes-lease`) make their entry only when they get the key.
  std::uint64_t ticket = 0;
  std::uint64_t before = 0;  // ticket of the entry directly before our entry, which may be deleted;
                             // 0: unknown
  std::optional<LockRecord> record;  // record of the last release
};

enum class QueueRequest : std::uint8_t {
  enter,    // make an entry and report its place; answer: placed()
  look,     // report the entry's place; answer: placed()
  leave,    // delete the entry; answer: ended()
  release,  // write the record and delete the entry in one step; answer: ended()
};

// The engine's tasks after an event. Each of the two tasks may be missing.
struct QueueOutput {
  std::optional<QueueRequest> request;
  std::optional<EngineReply> reply;
};

class QueueLock {
 public:
  explicit QueueLock(MasterId self) : self_(self) {}

  // --- requests by the master
  [[nodiscard]] QueueOutput asked(const AskEngine& ask, bool session_open);

  // --- answers from the server
  [[nodiscard]] QueueOutput placed(const QueueStanding& standing);  // answer to enter and look
  [[nodiscard]] QueueOutput ended();
  // Tells the machine that the entry before ours has been deleted or may have been deleted.
  [[nodiscard]] QueueOutput moved();

  // --- the session; its end deletes all entries and voids outstanding requests
  [[nodiscard]] QueueOutput session_opened();
  [[nodiscard]] QueueOutput session_lost();

  // --- queries
  [[nodiscard]] bool waiting() const { return phase_ == Phase::waiting; }
  [[nodiscard]] bool holding() const { return phase_ == Phase::held; }
  // True while leave or release is unanswered. The engine must wait for the answer before it closes
  // the session.
  [[nodiscard]] bool ending() const { return phase_ == Phase::ending; }
  [[nodiscard]] bool forgettable() const { return phase_ == Phase::absent && !wanted_; }
  // The record to write. REQUIRES: a release is requested.
  [[nodiscard]] const LockRecord& record() const { return record_; }
  // The tickets of our entry and of the entry before it. REQUIRES: we have an entry.
  [[nodiscard]] std::uint64_t ticket() const { return ticket_; }
  [[nodiscard]] std::uint64_t before() const { return before_; }

 private:
  enum class Phase : std::uint8_t {
    absent,    // no entry
    entering,  // enter is outstanding
    waiting,   // another entry is before ours
    looking,   // look is outstanding
    held,
    ending,  // leave or release is outstanding
  };

  [[nodiscard]] QueueOutput acquire(const AskEngine& ask, bool session_open);
  [[nodiscard]] QueueOutput abandon(std::uint64_t round);
  [[nodiscard]] QueueOutput release(const AskEngine& ask);
  [[nodiscard]] QueueOutput grant(const QueueStanding& standing);
  [[nodiscard]] QueueOutput request(QueueRequest asked, Phase next);

  MasterId self_;
  Phase phase_ = Phase::absent;
  std::optional<std::uint64_t> wanted_;  // the round that wants or holds the key
  std::uint64_t highest_ = 0;            // highest token counter that this master knows
  std::uint64_t number_ = 0;             // number of our entry
  std::uint64_t ticket_ = 0;
  std::uint64_t before_ = 0;
  LockRecord record_;  // held: the record that was found; ending: the record to write
};

}  // namespace fixkeep::lock
