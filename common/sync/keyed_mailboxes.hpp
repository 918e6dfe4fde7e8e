// One mailbox a key and its turns: the part of the keyed actor that decides. It is sans-IO.
//
// Work gets a number at put(). Work of one key starts in that order one after another. Different
// keys are independent. Running is holding: there is no lock besides the turn.
//
//   put ──▶ waiting ──start──▶ running ──end──▶ (gone)
//              │ wait_timeout     │ lease_timeout
//              ▼                  ▼
//        WaitTimedOut      overrunning ──end, or overrun has passed──▶ (gone)
//
// When a lease lapses, the holder and its caller are told at once. But the next work starts only
// after its end or after `overrun` if that is earlier. A late body thus never overlaps with the
// next one and a stuck body blocks its key for a bounded time. From then on its number is void and
// its end is ignored. (To start the next work at the end of the lease would make every late body a
// second holder; to wait for ever would kill the key of a stuck body.) `overrun` = Duration::max()
// never lets two overlap.
//
// master/core/groups/group.hpp does not use it although all requests of a group meet there: a group
// does not run one body after another. Its claims are asked, reserved and ordered at the same time
// and move back and forth between these places. A deadline belongs to a ticket and not to the
// mailbox. A group leaves memory with its last claim.
//
// Invariants: 1. of a key at most one is running or overrunning.
//             2. each number that put() gave out is started, timed out or refused by stop() once.
//             3. a mailbox is swept only while no work waits, runs or overruns in it.
//             4. numbers grow over all keys: a number is a fencing token.
// Thread rule: one owner; KeyedActor shares one between threads. Time never goes back (clamped).
// Bounds: MailboxOptions. Errors: mailbox_full, all_mailboxes_full, stopping.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/assert.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/sync/work_token.hpp"

namespace fixkeep::sync {

struct MailboxOptions {
  Duration wait_timeout{std::chrono::seconds{10}};  // time from put() to its start
  Duration lease_timeout{std::chrono::seconds{5}};  // time from its start to its end
  Duration overrun{std::chrono::seconds{5}};  // time after the lease in which the next one waits
  std::size_t waiting_per_key = 20'000;
  std::size_t waiting = 50'000;             // waiting work of all keys
  Duration idle{std::chrono::seconds{60}};  // an empty mailbox goes after so long
};

enum class Turn : std::uint8_t {
  start,           // its body may run
  wait_timed_out,  // it never ran and never will
  lease_lapsed,    // it runs for too long; it has lost its turn
  refused,         // stop() came before its turn
};
struct MailboxAction {
  Turn turn = Turn::start;
  WorkNumber work = 0;
  friend bool operator==(const MailboxAction&, const MailboxAction&) = default;
};
using MailboxActions = std::vector<MailboxAction>;

enum class Ending : std::uint8_t {
  in_time,  // it held its key until now
  late,     // its lease had lapsed; the next one had not started yet
  unknown,  // no turn: it never had one, has ended, or the next one has started
};

template <class Key, class Hash = std::hash<Key>>
class KeyedMailboxes {
 public:
  explicit KeyedMailboxes(MailboxOptions options) : options_(options) {}

  // Starts at once if the key is free.
  [[nodiscard]] Result<WorkNumber> put(const Key& key, TimePoint now, MailboxActions& out);
  // Starts the next one of its key. At or after the end of the lease it is late even without a
  // tick.
  Ending end(WorkNumber work, TimePoint now, MailboxActions& out);

  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max() if never
  void tick(TimePoint now, MailboxActions& out);

  // Refuses waiting and new work. Running work may end.
  void stop(TimePoint now, MailboxActions& out);

  [[nodiscard]] std::size_t mailboxes() const { return boxes_.size(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t running() const { return running_.size() + overrunning_.size(); }

 private:
  struct Box;
  enum class Place : std::uint8_t { waiting, running, overrunning };
  struct Work {
    WorkNumber number = 0;
    Box* box = nullptr;
    Place place = Place::waiting;
    TimePoint until;
  };
  // Work moves between these lists by splice. Everything in one list waits for equally long. Each
  // is thus ordered by time without being sorted.
  using Works = std::list<Work>;
  using WorkAt = typename Works::iterator;
  struct Box {
    const Key* key = nullptr;
    std::deque<WorkAt> queue;
    bool taken = false;  // something of it runs or overruns
    TimePoint idle_until;
    typename std::list<Box*>::iterator idle_at;  // set while it is empty
  };

  [[nodiscard]] TimePoint advance(TimePoint now) { return now_ = std::max(now_, now); }
  [[nodiscard]] static TimePoint later(TimePoint now, Duration by) {
    return by >= TimePoint::max() - now ? TimePoint::max() : now + by;
  }
  Box& box_of(const Key& key);
  void pass_on(Box& box, TimePoint now, MailboxActions& out);
  void forget(WorkAt work, Works& list);
  void sweep(TimePoint now);
  void expire(TimePoint now, MailboxActions& out);

  MailboxOptions options_;
  TimePoint now_ = TimePoint::min();
  bool stopping_ = false;
  WorkNumber last_ = 0;
  std::unordered_map<Key, Box, Hash> boxes_;
  std::list<Box*> idle_;  // the empty mailboxes, longest empty first
  std::unordered_map<WorkNumber, WorkAt> works_;
  Works waiting_;
  Works running_;
  Works overrunning_;
};

}  // namespace fixkeep::sync

#include "common/sync/keyed_mailboxes_bodies.hpp"
