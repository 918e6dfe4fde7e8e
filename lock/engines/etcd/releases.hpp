// The releases that the waiters of an etcd engine await, and the releases seen lately.
//
// The watch may tell a release before the transaction's answer "you are behind that entry" comes on
// its own connection. Releases are therefore remembered for a while. A new waiter is told if the
// entry before it is gone already or the memory is too short to say.
//
// Invariants: 1. Each waiter in `waiters` hears of the release of the entry before its own, or of a
//                poll.
// Thread rule: a value, one owner. Bounds: `remembered` releases, one waiter a key. Errors: none.
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

  // `ahead` was there at `revision`. False: it may be gone; look again, do not wait.
  [[nodiscard]] bool wait(const GroupKey& group, const std::string& ahead, std::uint64_t revision) {
    if (!open_) {  // the waiters are told when the watch is open
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

  // The watch is open and tells everything after `revision`. Returns the waiters that must look
  // again.
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

  // Returns the waiters that must look again.
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
  std::map<std::string, std::pair<GroupKey, std::uint64_t>> waiters_;  // key: the entry before
};

}  // namespace fixkeep::engine
