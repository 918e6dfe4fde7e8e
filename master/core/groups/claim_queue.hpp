// The claims that wait for any room of their group, ordered by number and by seats.
//
// If a room has few seats left, the first claim that fits gets them, even if many larger parties
// are before this claim. The queue finds this claim without visiting each party.
// Thread rule: a value, one owner. Bounds: the claims of a group. next() visits each size of claims
// once; there are at most wire::limits::party sizes. Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "master/core/groups/claim.hpp"

namespace fixkeep::master {

class ClaimQueue {
 public:
  // `no_backfill`: wire::Claim::no_backfill.
  void insert(ClaimNumber number, std::uint32_t seats, bool no_backfill = false) {
    if (!all_.insert(number).second) return;
    ++inserts_;
    by_size_[no_backfill][seats].insert(number);
    seats_ += seats;
  }
  void erase(ClaimNumber number, std::uint32_t seats, bool no_backfill = false) {
    if (all_.erase(number) == 0) return;
    auto& by_size = by_size_[no_backfill];
    const auto size = by_size.find(seats);
    size->second.erase(number);
    if (size->second.empty()) by_size.erase(size);
    seats_ -= seats;
  }

  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] std::uint64_t seats() const { return seats_; }      // sum over all claims
  [[nodiscard]] std::uint64_t inserts() const { return inserts_; }  // inserts so far
  [[nodiscard]] const std::set<ClaimNumber>& in_order() const { return all_; }
  // Returns the seats that the largest claim needs; 0 if the queue is empty.
  [[nodiscard]] std::uint32_t largest() const {
    std::uint32_t most = 0;
    for (const auto& by_size : by_size_) {
      if (!by_size.empty()) most = std::max(most, by_size.rbegin()->first);
    }
    return most;
  }
  [[nodiscard]] bool has_no_backfill() const { return !by_size_[1].empty(); }
  // Returns the first claim after `behind` that needs at most `most` seats, or, if it is a claim
  // without backfill, at most `most_without` seats.
  [[nodiscard]] std::optional<ClaimNumber> next(ClaimNumber behind, std::uint32_t most,
                                                std::uint32_t most_without) const {
    const auto first = first_in(by_size_[0], behind, most);
    const auto without = first_in(by_size_[1], behind, most_without);
    return !first || (without && *without < *first) ? without : first;
  }
  [[nodiscard]] std::optional<ClaimNumber> next(ClaimNumber behind, std::uint32_t most) const {
    return next(behind, most, most);
  }

 private:
  using BySize = std::map<std::uint32_t, std::set<ClaimNumber>>;

  static std::optional<ClaimNumber> first_in(const BySize& by_size, ClaimNumber behind,
                                             std::uint32_t most) {
    std::optional<ClaimNumber> first;
    for (const auto& [seats, claims] : by_size) {
      if (seats > most) break;
      const auto at = claims.upper_bound(behind);
      if (at != claims.end() && (!first || *at < *first)) first = *at;
    }
    return first;
  }

  std::set<ClaimNumber> all_;
  std::array<BySize, 2> by_size_;  // index: no_backfill
  std::uint64_t seats_ = 0;
  std::uint64_t inserts_ = 0;
};

}  // namespace fixkeep::master
