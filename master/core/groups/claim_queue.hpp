// The claims that wait for any room of their group, ordered by number and by seats.
//
// If a room has few seats left, the first claim that fits gets them, even if many larger parties
// are before this claim. The queue finds this claim without visiting each party.
// Thread rule: a value, one owner. Bounds: the claims of a group. next() visits each size of claims
// once; there are at most wire::limits::party sizes. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "master/core/groups/claim.hpp"

namespace fixkeep::master {

class ClaimQueue {
 public:
  void insert(ClaimNumber number, std::uint32_t seats) {
    if (!all_.insert(number).second) return;
    ++inserts_;
    by_size_[seats].insert(number);
    seats_ += seats;
  }
  void erase(ClaimNumber number, std::uint32_t seats) {
    if (all_.erase(number) == 0) return;
    const auto size = by_size_.find(seats);
    size->second.erase(number);
    if (size->second.empty()) by_size_.erase(size);
    seats_ -= seats;
  }

  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::uint64_t seats() const { return seats_; }      // sum over all claims
  [[nodiscard]] std::uint64_t inserts() const { return inserts_; }  // inserts so far
  [[nodiscard]] const std::set<ClaimNumber>& in_order() const { return all_; }
  // Returns the seats that the largest claim needs; 0 if the queue is empty.
  [[nodiscard]] std::uint32_t largest() const {
    return by_size_.empty() ? 0 : by_size_.rbegin()->first;
  }
  // Returns the first claim after `behind` that needs at most `most` seats.
  [[nodiscard]] std::optional<ClaimNumber> next(ClaimNumber behind, std::uint32_t most) const {
    std::optional<ClaimNumber> first;
    for (const auto& [seats, claims] : by_size_) {
      if (seats > most) break;
      const auto at = claims.upper_bound(behind);
      if (at != claims.end() && (!first || *at < *first)) first = *at;
    }
    return first;
  }

 private:
  std::set<ClaimNumber> all_;
  std::map<std::uint32_t, std::set<ClaimNumber>> by_size_;
  std::uint64_t seats_ = 0;
  std::uint64_t inserts_ = 0;
};

}  // namespace fixkeep::master
