// Mailboxes and turns, one mailbox for each key: the part of the keyed actor that decides. Sans-IO.
//
// put() gives work a number. Work for one key runs one after another, in the order of the numbers.
// Different keys are independent. Running work holds its key; there is no other lock.
//
//   put ──▶ waiting ──start──▶ running ──end──▶ (gone)
//              │ wait_timeout     │ lease_timeout
//              ▼                  ▼
//        WaitTimedOut      overrunning ──end, or overrun has passed──▶ (gone)
//
// When a lease lapses, the holder and its caller are notified immediately. But the next work starts
// only when the late body ends, or when the additional time `overrun` is over. Thus a late body
// that ends within this time does not overlap with the next body, and a stuck body blocks its key
// for a bounded time. When `overrun` is over, the late body's number is void, and its end is
// ignored. (If the next work started at the end of the lease, each late body would be a second
// holder. If the next work waited forever, a stuck body would block its key forever.) With
// `overrun` = Duration::max() two bodies never overlap.
//
// master/core/groups/group.hpp does not use mailboxes for its requests, because a group does not
// run one body after another. A group asks, reserves and orders for many claims at the same time.
// Deadlines belong to tickets, not to a mailbox. A group is deleted together with its last claim.
//
// Invariants: 1. at most one body of a key is running or overrunning.
//             2. each number from put() is started, timed out or refused by stop(), exactly one
//                time.
//             3. a mailbox is deleted only while no work waits, runs or overruns in it.
//             4. numbers grow over all keys, so they serve as fencing tokens.
// Thread rule: one owner. KeyedActor makes mailboxes usable from several threads. A time before the
// latest known time counts as the latest known time. Bounds: MailboxOptions. Errors: mailbox_full,
// all_mailboxes_full, stopping.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <unordered_map>
#include <vector>

#include "common/base/assert.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/sync/work_token.hpp"

namespace fixkeep::sync {

struct MailboxOptions {
  Duration wait_timeout{std::chrono::seconds{10}};  // longest time from put() to the start
  Duration lease_timeout{std::chrono::seconds{5}};  // longest time from the start to the end
  Duration overrun{std::chrono::seconds{5}};        // longest wait for a late end
  std::size_t waiting_per_key = 20'000;
  std::size_t waiting = 50'000;             // most waiting work, all keys together
  Duration idle{std::chrono::seconds{60}};  // lifetime of an empty mailbox
};

enum class Turn : std::uint8_t {
  start,           // the body may run
  wait_timed_out,  // the work never runs
  lease_lapsed,    // the work ran too long and has lost its turn
  refused,         // stop() was called before the turn
};
struct MailboxAction {
  Turn turn = Turn::start;
  WorkNumber work = 0;
  friend bool operator==(const MailboxAction&, const MailboxAction&) = default;
};
using MailboxActions = std::vector<MailboxAction>;

enum class Ending : std::uint8_t {
  in_time,  // the work held its key until now
  late,     // the lease had lapsed; the next work had not started
  unknown,  // never started, already ended, or the next work has started
};

template <class Key, class Hash = std::hash<Key>>
class KeyedMailboxes {
 public:
  explicit KeyedMailboxes(MailboxOptions options) : options_(options) {}

  // Adds work for the key. If the key is free, the work starts immediately.
  [[nodiscard]] Result<WorkNumber> put(const Key& key, TimePoint now, MailboxActions& out);
  // Ends the work and starts the key's next work. An end at or after the lease's limit is late,
  // even without a tick.
  Ending end(WorkNumber work, TimePoint now, MailboxActions& out);

  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max(): no tick is needed
  void tick(TimePoint now, MailboxActions& out);

  // Refuses waiting and new work. Work that already runs is allowed to finish.
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
  // Work moves between these lists by splice. The time limit is equally long for all work in one
  // list. Thus each list is ordered by time without a sort.
  using Works = std::list<Work>;
  using WorkAt = typename Works::iterator;
  struct Box {
    const Key* key = nullptr;
    std::deque<WorkAt> queue;
    bool taken = false;  // work of this key runs or overruns
    TimePoint idle_until;
    typename std::list<Box*>::iterator idle_at;  // valid while the mailbox is empty
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
  std::list<Box*> idle_;  // empty mailboxes; the longest empty mailbox is first
  std::unordered_map<WorkNumber, WorkAt> works_;
  Works waiting_;
  Works running_;
  Works overrunning_;
};

}  // namespace fixkeep::sync

#include "common/sync/keyed_mailboxes_bodies.hpp"
