// The queue lock of etcd and ZooKeeper for one key on one master, sans-IO.
//
// Source: the lock recipe of ZooKeeper's documentation and of etcd's concurrency package. A master
// that wants the key enters a queue in the server. The oldest entry holds the key. Every other
// master watches the entry right before its own. A release thus wakes one waiter, not all. Entries
// belong to a session (etcd: a lease); the server ends it when its owner is silent for too long.
//
// The machine decides the next request to the server. The engine sends it and tells the result.
// Fault model: the server's own. Every request may be repeated until it is answered. By the
// engine's names a late repetition finds its own entry or nothing.
//
// Invariants: 1. At most one request is outstanding. Meanwhile the master's calls only change the
//                use of its answer.
//             2. An entry is left before another is made.
//             3. Granted is said only for an entry that is the oldest of a session that is open.
//             4. A grant asks for a fence unless the entry right before it released last, with a
//                certain value. A master that vanished in between left an entry but no record.
//             5. Tokens of a key grow with the server's numbers. After a server's loss of memory
//                they go on above the highest one that this master or the record knows.
// Thread rule: a value, one owner. Bounds: O(1). Errors: Lost{engine_failure} when the session ends
// while the key is held.
#pragma once

#include <cstdint>
#include <optional>

#include "lock/core/lock_machine.hpp"
#include "lock/core/server/lock_record.hpp"
#include "lock/core/server/remote.hpp"

namespace fixkeep::lock {

// The server says this of our entry.
struct QueueStanding {
  bool present = true;       // false: there is no such entry (any more)
  bool oldest = false;       // false: an entry is before ours, which the engine watches now
  std::uint64_t number = 0;  // grows with each entry of the key, as long as the server remembers
  std::uint64_t ticket = 0;  // the entry's place in the order of entering; never 0
  std::uint64_t before = 0;  // the ticket right before ours, whether it is still there or not;
                             // 0: unknown
  std::optional<LockRecord> record;  // record of the last release
};

enum class QueueRequest : std::uint8_t {
  enter,    // make an entry, and say how it stands: placed()
  look,     // ask how the entry stands: placed()
  leave,    // end the entry: ended()
  release,  // write the record and end the entry, in one step: ended()
};

// The engine has to do this after an event. Either may be absent.
struct QueueOutput {
  std::optional<QueueRequest> request;
  std::optional<EngineReply> reply;
};

class QueueLock {
 public:
  explicit QueueLock(MasterId self) : self_(self) {}

  // --- what the master asks
  [[nodiscard]] QueueOutput asked(const AskEngine& ask, bool session_open);

  // --- what the server said
  [[nodiscard]] QueueOutput placed(const QueueStanding& standing);  // answer to enter and look
  [[nodiscard]] QueueOutput ended();
  // The entry before ours is gone, or may be.
  [[nodiscard]] QueueOutput moved();

  // --- the session. All entries end with it; requests that are outstanding are void.
  [[nodiscard]] QueueOutput session_opened();
  [[nodiscard]] QueueOutput session_lost();

  // --- looking
  [[nodiscard]] bool waiting() const { return phase_ == Phase::waiting; }
  [[nodiscard]] bool holding() const { return phase_ == Phase::held; }
  // A request of ours has to be answered before the engine may say goodbye.
  [[nodiscard]] bool ending() const { return phase_ == Phase::ending; }
  [[nodiscard]] bool forgettable() const { return phase_ == Phase::absent && !wanted_; }
  // REQUIRES: a release is requested. The record to write.
  [[nodiscard]] const LockRecord& record() const { return record_; }
  // REQUIRES: entered. Of our entry.
  [[nodiscard]] std::uint64_t ticket() const { return ticket_; }
  [[nodiscard]] std::uint64_t before() const { return before_; }

 private:
  enum class Phase : std::uint8_t {
    absent,    // no entry
    entering,  // enter is outstanding
    waiting,   // somebody is before us
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
  std::uint64_t highest_ = 0;            // token counter that this master knows of
  std::uint64_t number_ = 0;             // number of our entry
  std::uint64_t ticket_ = 0;
  std::uint64_t before_ = 0;
  LockRecord record_;  // held: as it was found; ending: as it is to be written
};

}  // namespace fixkeep::lock
