// The parts of a LockTable: its keys and its knowledge of the mesh. Turns the actions of machines
// into actions of the table. Internal to LockTable. Thread rule: as LockTable.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "lock/core/any_machine.hpp"
#include "lock/core/key_state.hpp"
#include "lock/core/lock_table.hpp"
#include "lock/core/master_lists.hpp"

namespace fixkeep::lock {

struct LockTable::Impl {
  Impl(LockTableOptions given, TimePoint now);

  LockTableOptions options;  // all but the peers: `lists` has them
  MasterLists lists;
  bool disputed = false;  // last value that the machines were told
  TimePoint grace_ends;
  TimePoint last_loss;  // last loss of a connection; at first, start of our memory
  std::optional<TimePoint> last_overflow;  // something was said that we had no room to remember
  bool grace_over = false;
  std::set<MasterId> heard;  // configured peers whose Hello was complete once since start
  std::set<MasterId> connected;
  std::set<MasterId> up;
  // Hellos without their last part.
  std::map<MasterId, std::map<GroupKey, LockMessage>> arriving;
  std::map<GroupKey, KeyState> keys;  // ordered: the order of actions is the contract
  std::set<std::pair<TimePoint, GroupKey>> timers;
  std::set<std::pair<TimePoint, GroupKey>> alarms;
  Forgotten forgotten;
  LockStatistics statistics;
  LockActions scratch;
  bool remote = false;        // the strategy is a server's
  bool engine_ready = false;  // it can be reached
  bool engine_seen = false;   // once since start

  [[nodiscard]] bool met_all() const;
  [[nodiscard]] bool joined() const;
  [[nodiscard]] MeshView view(TimePoint now) const;

  // --- keys

  // Null if there is no room for another key.
  KeyState* find_or_make(const GroupKey& name, TimePoint now);
  bool evict();
  // The next machine of the key fences first, so that no memory is missed.
  void forget(const GroupKey& name);
  void set_deadline(const GroupKey& name, KeyState& key, TimePoint deadline);
  void set_alarm(const GroupKey& name, KeyState& key, TimePoint alarm);
  void become(const GroupKey& name, KeyState& key, Want want, TimePoint now);
  void time_is_up(const GroupKey& name, KeyState& key, TimePoint now, TableActions& out);

  // --- machines

  void step(const GroupKey& name, KeyState& key, const LockEvent& event, TimePoint now,
            TableActions& out);
  void step_all(const LockEvent& event, TimePoint now, TableActions& out);
  // Performs what the machine put into `scratch`.
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
  // The caller neither waits nor holds any more; its machine knows.
  void lose(const GroupKey& name, KeyState& key, LostReason reason, TimePoint now,
            TableActions& out);

  // Answers for a key that the table has no room for. We neither want nor hold it, so a new machine
  // gives the right answer. Silence would block the asking master. This machine has not joined: it
  // must not give votes and grants that it would forget. Its round stays. With a logical clock the
  // answer says that we ask for nothing earlier.
  void answer_without_key(const GroupKey& name, const LockEvent& event, TimePoint now,
                          TableActions& out);

  // --- the mesh

  // False: not at this point.
  bool hear(MasterId peer, const MeshHello& hello, TimePoint now, TableActions& out);
  bool hear(MasterId peer, const MasterList& list, TimePoint now, TableActions& out);
  bool hear(MasterId peer, const LockMessage& message, TimePoint now, TableActions& out);
  void complete_hello(MasterId peer, TimePoint now, TableActions& out);
  // Tells the machines of a dispute about the lists, of its end, or of a change of our own list.
  void tell_of_lists(bool ours_changed, TimePoint now, TableActions& out);
};

}  // namespace fixkeep::lock
