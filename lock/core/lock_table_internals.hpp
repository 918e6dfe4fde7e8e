// The parts of a LockTable: its keys and its knowledge of the mesh. LockTable::Impl turns the
// actions of machines into actions of the table. Internal to LockTable. Thread rule: see LockTable.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lock/core/any_machine.hpp"
#include "lock/core/key_state.hpp"
#include "lock/core/lock_table.hpp"
#include "lock/core/master_lists.hpp"

namespace fixkeep::lock {

struct LockTable::Impl {
  Impl(LockTableOptions given, TimePoint now);

  LockTableOptions options;  // `lists` has the current peers
  MasterLists lists;
  bool disputed = false;  // last value sent to the machines
  TimePoint grace_ends;
  TimePoint last_loss;                     // time of the last lost connection; at first our start
  std::optional<TimePoint> last_overflow;  // time of the last message that found the table full
  bool grace_over = false;
  std::set<MasterId> heard;  // configured peers that completed a Hello since our start
  std::set<MasterId> connected;
  std::set<MasterId> up;
  // Incomplete Hellos: their last part has not arrived.
  std::map<MasterId, std::map<GroupKey, LockMessage>> arriving;
  std::map<GroupKey, KeyState> keys;  // sorted: the order of actions is deterministic
  std::set<std::pair<TimePoint, GroupKey>> timers;
  std::set<std::pair<TimePoint, GroupKey>> alarms;
  Forgotten forgotten;
  LockStatistics statistics;
  LockActions scratch;
  bool remote = false;        // the strategy's locks are in a server
  bool engine_ready = false;  // the server is reachable
  bool engine_seen = false;   // the server has been reachable since our start

  [[nodiscard]] bool met_all() const;
  [[nodiscard]] bool joined() const;
  [[nodiscard]] MeshView view(TimePoint now) const;

  // --- keys

  // Returns the key's state. Makes the state if the key is new. Returns null if the table is full
  // and can forget no key.
  KeyState* find_or_make(const GroupKey& name, TimePoint now);
  bool evict();
  // Deletes the key and its machine. The key's next machine requires a fence for its first grant,
  // so the lost memory does no harm.
  void forget(const GroupKey& name);
  void set_deadline(const GroupKey& name, KeyState& key, TimePoint deadline);
  void set_alarm(const GroupKey& name, KeyState& key, TimePoint alarm);
  void become(const GroupKey& name, KeyState& key, Want want, TimePoint now);
  void time_is_up(const GroupKey& name, KeyState& key, TimePoint now, TableActions& out);

  // --- machines

  void step(const GroupKey& name, KeyState& key, const LockEvent& event, TimePoint now,
            TableActions& out);
  void step_all(const LockEvent& event, TimePoint now, TableActions& out);
  // Performs the actions that the machine has put into `scratch`.
  void perform(const GroupKey& name, KeyState& key, TimePoint now, TableActions& out);
  void perform(const GroupKey& name, KeyState& key, Send& action, TimePoint now, TableActions& out);
  void perform(const GroupKey& name, KeyState& key, Granted& grant, TimePoint now,
               TableActions& out);
  void perform(const GroupKey& name, KeyState& key, Lost& lost, TimePoint now, TableActions& out);
  void perform(const GroupKey& name, KeyState& key, SetTimer& timer, TimePoint now,
               TableActions& out);
  void perform(const GroupKey& name, KeyState& key, AskEngine& order, TimePoint now,
               TableActions& out);
  void send(const GroupKey& name, Send& action, TableActions& out);
  // Reports the loss to the caller. The machine itself has already ended the wait or the hold.
  void lose(const GroupKey& name, KeyState& key, LostReason reason, TimePoint now,
            TableActions& out);

  // Answers a message about a key that the full table cannot store. Without an answer the asking
  // master would be blocked. We do not want or hold the key, so a temporary machine gives the right
  // answer. This machine counts as not joined because it must not give votes and grants that would
  // be forgotten. The table remembers the machine's round. In a lock with a logical clock, the
  // answer is a promise: the times of our next requests are above this round.
  void answer_without_key(const GroupKey& name, const LockEvent& event, TimePoint now,
                          TableActions& out);

  // --- the mesh

  // Handles the message. Returns false if the message breaks the protocol, for example before a
  // Hello.
  bool hear(MasterId peer, const MeshHello& hello, TimePoint now, TableActions& out);
  bool hear(MasterId peer, const MasterList& list, TimePoint now, TableActions& out);
  bool hear(MasterId peer, const LockMessage& message, TimePoint now, TableActions& out);
  void complete_hello(MasterId peer, TimePoint now, TableActions& out);
  // Tells the machines when a dispute about the lists has begun or ended, or when our own list has
  // changed (`ours_changed`).
  void tell_of_lists(bool ours_changed, TimePoint now, TableActions& out);
};

}  // namespace fixkeep::lock
