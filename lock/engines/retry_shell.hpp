// The common part of the engines without a queue: PostgreSQL and Kubernetes. A master that waits
// for a key asks again when a release is reported, and also at regular intervals.
//
// In addition to the members that QueueShell needs, Key has a text `name` and a flag `told`.
// Thread rule: the thread of the io_context. Bounds and errors: those of QueueShell.
#pragma once

#include <string>

#include "lock/engines/queue_shell.hpp"

namespace fixkeep::engine {

template <class Key>
class RetryShell : public QueueShell<Key> {
 public:
  using QueueShell<Key>::QueueShell;

 protected:
  static constexpr std::chrono::milliseconds poll_pause{500};

  // Call this when a request for the key's lock is sent. `name` is the lock's name in the server.
  void asks(const GroupKey& group, Key& key, std::string name) {
    key.name = std::move(name);
    key.told = false;
    names_.insert_or_assign(key.name, group);
  }

  // Call this with the answer.
  void stands(const GroupKey& group, Key& key, const lock::QueueStanding& standing) {
    auto output = key.lock.placed(standing);
    // Asks again if a release was reported before this answer: the server may have answered before
    // the release.
    if (key.lock.waiting() && std::exchange(key.told, false)) output = key.lock.moved();
    this->act(group, key, output);
  }

  void released(const std::string& name) {
    const auto self = this->shared_from_this();
    const auto found = names_.find(name);
    if (found == names_.end()) return;
    const GroupKey group = found->second;
    const auto key = this->keys.find(group);
    if (key != this->keys.end()) key->second.told = true;
    this->moved(group);
  }

  // If `poll_pause` has passed, lets all waiting keys ask again.
  void poll(std::chrono::steady_clock::time_point now) {
    if (now - polled_ < poll_pause) return;
    polled_ = now;
    const std::vector<std::pair<std::string, GroupKey>> all{names_.begin(), names_.end()};
    for (const auto& [name, group] : all) this->moved(group);
  }

  [[nodiscard]] bool asked_for(const std::string& name) const { return names_.contains(name); }

  void acted(Key& key) override {
    if (key.lock.holding() || key.lock.ending() || key.lock.forgettable()) names_.erase(key.name);
  }

 private:
  std::unordered_map<std::string, GroupKey> names_;  // keys that ask or wait
  std::chrono::steady_clock::time_point polled_;
};

}  // namespace fixkeep::engine
