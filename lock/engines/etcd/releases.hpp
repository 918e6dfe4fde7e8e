// The waiters of an etcd engine and the recent releases. Each waiter waits for the release of one
// entry.
//
// The watch and a transaction's answer use different connections. The watch may thus report an
// entry's release before the answer "you are behind that entry" arrives. Recent releases are
// therefore stored. wait() refuses a new waiter if the entry before the waiter's own entry was
// already released or if the stored releases do not go back far enough.
//
// Invariants: 1. Each waiter in `waiters_` is woken by the release of the entry before its own
//                entry, or by a poll.
// Thread rule: a value, one owner. Bounds: `remembered` releases, one waiter per key. Errors: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::engine {

class EtcdReleases {
 public:
  static constexpr std::size_t remembered = 1024;

  // Makes the group a waiter for the end of `ahead`, an entry that existed at `revision`. Returns
  // false if `ahead` may have ended since that revision. The caller must then look again.
  [[nodiscard]] bool wait(const GroupKey& group, const std::string& ahead, std::uint64_t revision) {
    if (!open_) {  // opened() wakes the waiters
      waiters_[ahead] = {group, revision};
      return true;
    }
    if (revision < forgotten_) return false;
    for (const auto& [name, released_at] : lately_) {
      if (name == ahead && released_at > revision) return false;
    }
    waiters_[ahead] = {group, revision};
    return true;
  }
  void forget(const std::string& ahead) { waiters_.erase(ahead); }

  // Call this when the watch has opened: from now on, it reports every release after `revision`.
  // Returns the waiters that must look again.
  [[nodiscard]] std::vector<GroupKey> opened(std::uint64_t revision) {
    open_ = true;
    forgotten_ = revision;
    lately_.clear();
    std::vector<GroupKey> behind;
    for (const auto& [ahead, waiter] : waiters_) {
      if (waiter.second < revision) behind.push_back(waiter.first);
    }
    return behind;
  }
  void closed() { open_ = false; }

  // Notes the releases of the entries `names`. Returns the waiters that must look again.
  [[nodiscard]] std::vector<GroupKey> released(const std::vector<std::string>& names,
                                               std::uint64_t revision) {
    std::vector<GroupKey> next;
    for (const auto& name : names) {
      if (lately_.size() == remembered) {
        forgotten_ = lately_.front().second;
        lately_.pop_front();
      }
      lately_.emplace_back(name, revision);
      if (const auto found = waiters_.find(name); found != waiters_.end()) {
        next.push_back(found->second.first);
      }
    }
    return next;
  }

  [[nodiscard]] std::vector<GroupKey> everyone() const {
    std::vector<GroupKey> all;
    for (const auto& [ahead, waiter] : waiters_) all.push_back(waiter.first);
    return all;
  }
  [[nodiscard]] bool idle() const { return waiters_.empty(); }
  [[nodiscard]] bool open() const { return open_; }

 private:
  bool open_ = false;
  std::uint64_t forgotten_ = 0;  // releases up to this revision are not in lately_
  std::deque<std::pair<std::string, std::uint64_t>> lately_;
  // The waiters. The map's key is the entry directly before the waiter's own entry.
  std::map<std::string, std::pair<GroupKey, std::uint64_t>> waiters_;
};

}  // namespace fixkeep::engine
