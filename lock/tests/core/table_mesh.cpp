#include "lock/tests/core/table_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/lock_strategies.hpp"
#include "lock/core/codec.hpp"

namespace fixkeep::lock {

std::string name_of_case(std::string strategy) {
  std::replace(strategy.begin(), strategy.end(), '-', '_');
  return strategy;
}

std::vector<std::string> mesh_locks_without(const std::set<std::string>& excepted) {
  std::vector<std::string> names;
  for (const auto& each : strategies) {
    const std::string name{each.name};
    if (each.family == Family::mesh && !excepted.contains(name)) names.push_back(name);
  }
  return names;
}

LockMessage question(const std::string& key, std::uint64_t round, FencingToken token) {
  LockMessage message;
  message.key = GroupKey{key};
  message.kind = 1;
  message.round = round;
  message.token = token;
  return message;
}

LoneTable::LoneTable(LockTableOptions options) : table(options, start_of_time) {
  for (const auto peer : options.peers) {
    table.connected(peer, {}, now, actions);
    EXPECT_TRUE(receive(peer, MeshHello{}));
  }
  actions.clear();
}

const LockMessage& sent(const TableAction& action) {
  return std::get<LockMessage>(std::get<SendToPeer>(action).message);
}

TableMesh::TableMesh(int masters, const LockTableOptions& options, bool connected)
    : size_(masters), options_(options) {
  for (int a = 1; a <= masters; ++a) start(a);
  if (!connected) return;
  for (int a = 1; a <= masters; ++a) {
    for (int b = a + 1; b <= masters; ++b) connect(a, b);
  }
  deliver_all();
}

void TableMesh::start(int master) {
  auto own = options_;
  own.self = id_of(master);
  own.peers.clear();
  for (int peer = 1; peer <= size_; ++peer) {
    if (peer != master) own.peers.push_back(id_of(peer));
  }
  tables_.insert_or_assign(master, LockTable{own, now_});
  bytes_[master] = 0;
}

void TableMesh::restart(int master) {
  for (int peer = 1; peer <= size_; ++peer) {
    if (peer != master && links_[{master, peer}]) disconnect(master, peer);
  }
  start(master);
}

void TableMesh::acquire(int master, const std::string& key) {
  table(master).acquire(GroupKey{key}, now_, actions_);
  perform(master);
}

void TableMesh::abandon(int master, const std::string& key) {
  table(master).abandon(GroupKey{key}, now_, actions_);
  perform(master);
}

void TableMesh::release(int master, const std::string& key, const std::string& bytes) {
  const auto token = grants_.at(master).token;
  LockValue value;
  value.stamp = token;
  value.bytes = bytes;
  table(master).release(GroupKey{key}, token, value, now_, actions_);
  perform(master);
}

void TableMesh::take(int master, const std::string& key) {
  acquire(master, key);
  deliver_all();
}

void TableMesh::give(int master, const std::string& key, const std::string& bytes) {
  release(master, key, bytes);
  deliver_all();
}

void TableMesh::hold(int master, const std::string& key, const std::string& bytes) {
  take(master, key);
  give(master, key, bytes);
}

void TableMesh::connect(int a, int b) {
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    links_[{from, to}] = true;
    channels_[{from, to}].clear();
  }
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    table(from).connected(id_of(to), {WorkerId{"w1"}}, now_, actions_);
    perform(from);
  }
}

void TableMesh::disconnect(int a, int b) {
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    links_[{from, to}] = false;
    channels_[{from, to}].clear();
  }
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    table(from).disconnected(id_of(to), now_, actions_);
    perform(from);
  }
}

void TableMesh::list(int master, const std::vector<MasterId>& peers) {
  table(master).list(peers, now_, actions_);
  perform(master);
  for (int other = 1; other <= size_; ++other) {
    const bool listed = std::find(peers.begin(), peers.end(), id_of(other)) != peers.end();
    if (other != master && !listed && links_[{master, other}]) disconnect(master, other);
  }
}

void TableMesh::deliver_all() {
  for (bool more = true; more;) {
    more = false;
    for (auto& [link, channel] : channels_) {
      if (channel.empty()) continue;
      more = true;
      const auto frame = std::move(channel.front());
      channel.pop_front();
      MeshMessage message;
      ASSERT_TRUE(parse(frame, message));
      EXPECT_TRUE(table(link.second).receive(id_of(link.first), message, now_, actions_));
      perform(link.second);
    }
  }
}

void TableMesh::pass(Duration time) {
  const auto end = now_ + time;
  while (true) {
    auto next = end;
    for (auto& [master, table] : tables_) next = std::min(next, table.next_tick());
    now_ = std::max(now_, next);
    for (auto& [master, table] : tables_) {
      table.tick(now_, actions_);
      perform(master);
    }
    deliver_all();
    if (next >= end) return;
  }
}

void TableMesh::perform(int master) {
  for (auto& action : actions_) {
    if (auto* send = std::get_if<SendToPeer>(&action)) {
      const std::pair link{master, int{send->to.number()}};
      std::string frame;
      append(send->message, frame);
      if (std::holds_alternative<LockMessage>(send->message)) bytes_[master] += 4 + frame.size();
      if (links_[link]) channels_[link].push_back(std::move(frame));
    } else if (const auto* granted = std::get_if<KeyGranted>(&action)) {
      grants_[master] = *granted;
      news_.push_back(std::to_string(master) + " granted " + granted->key.text() +
                      (granted->needs_fence ? " fence" : ""));
    } else if (const auto* lost = std::get_if<KeyLost>(&action)) {
      news_.push_back(std::to_string(master) + " lost " + lost->key.text() +
                      (lost->reason == LostReason::lease_timeout ? " lease" : " wait"));
    }
  }
  actions_.clear();
}

std::string TableMesh::state(int master, const std::string& key) {
  for (const auto& status : table(master).status(1000)) {
    if (status.key.text() == key) return std::string{status.state};
  }
  return "unknown";
}

}  // namespace fixkeep::lock
