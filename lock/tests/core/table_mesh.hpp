// Several LockTables on links in memory, for the tests of the table.
//
// Every message goes through the real codec. Links are ordered and deliver when told to.
// Thread rule: one owner.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lock/core/lock_table.hpp"

namespace fixkeep::lock {

inline constexpr TimePoint start_of_time{};
inline constexpr MasterId one{1};
inline constexpr MasterId two{2};
inline constexpr MasterId three{3};
inline constexpr MasterId four{4};

inline MasterId id_of(int master) {
  return MasterId{static_cast<std::uint16_t>(master)};
}

// "ricart_agrawala": a strategy as the name of a test case.
[[nodiscard]] std::string name_of_case(std::string strategy);

// The question of a mesh lock: MyLock, Request or Prepare. Each has the number 1.
[[nodiscard]] LockMessage question(const std::string& key, std::uint64_t round,
                                   FencingToken token = {});

// A table on its own: the test plays its peers.
struct LoneTable {
  // Its peers are linked and want nothing.
  explicit LoneTable(LockTableOptions options);

  void acquire(const std::string& key) { table.acquire(GroupKey{key}, now, actions); }
  void abandon(const std::string& key) { table.abandon(GroupKey{key}, now, actions); }
  bool receive(MasterId peer, const MeshMessage& message) {
    return table.receive(peer, message, now, actions);
  }
  // Returns its actions since the last call.
  TableActions take_actions() { return std::exchange(actions, {}); }

  TimePoint now = start_of_time;
  TableActions actions;
  LockTable table;
};

[[nodiscard]] const LockMessage& sent(const TableAction& action);

// The locks of the mesh but for some, as parameters of a test with their names.
[[nodiscard]] std::vector<std::string> mesh_locks_without(
    const std::set<std::string>& excepted = {});
inline std::string lock_of(const testing::TestParamInfo<std::string>& info) {
  return name_of_case(info.param);
}

class TableMesh {
 public:
  // Masters 1 to n. They are connected and joined unless `connected` is false.
  explicit TableMesh(int masters, const LockTableOptions& options = {}, bool connected = true);

  [[nodiscard]] LockTable& table(int master) { return tables_.at(master); }
  [[nodiscard]] TimePoint now() const { return now_; }

  void acquire(int master, const std::string& key);
  void abandon(int master, const std::string& key);
  void release(int master, const std::string& key, const std::string& bytes = {});
  // The same, and everything arrives.
  void take(int master, const std::string& key);
  void give(int master, const std::string& key, const std::string& bytes = {});
  void hold(int master, const std::string& key, const std::string& bytes = {});  // both
  void connect(int a, int b);
  void disconnect(int a, int b);
  // The master has these peers from now on; links to others end.
  void list(int master, const std::vector<MasterId>& peers);
  void restart(int master);  // remembers nothing, and is connected to nobody
  void deliver_all();
  // Lets time pass, ticking every table whenever it asks for it.
  void pass(Duration time);

  // Returns the news of the tables for their callers since the last call, in order. Examples: "1
  // granted a", "1 granted a fence", "2 lost a wait", "2 lost a lease".
  [[nodiscard]] std::vector<std::string> take_news() { return std::exchange(news_, {}); }
  [[nodiscard]] const KeyGranted& last_grant(int master) const { return grants_.at(master); }
  [[nodiscard]] std::size_t lock_frame_bytes(int master) const { return bytes_.at(master); }
  [[nodiscard]] std::size_t waiting(int a, int b) { return channels_[{a, b}].size(); }
  [[nodiscard]] std::string state(int master, const std::string& key);

 private:
  void perform(int master);
  void start(int master);

  int size_;
  LockTableOptions options_;
  std::map<int, LockTable> tables_;
  std::map<std::pair<int, int>, std::deque<std::string>> channels_;
  std::map<std::pair<int, int>, bool> links_;
  std::map<int, KeyGranted> grants_;
  std::map<int, std::size_t> bytes_;
  std::vector<std::string> news_;
  TableActions actions_;
  TimePoint now_ = start_of_time;
};

}  // namespace fixkeep::lock
