#include "master/rules/plan/order_book.hpp"

#include <algorithm>
#include <bit>

namespace fixkeep::master::plan {

void OrderBook::load(const Rules& rules, const Waiting& waiting, TimePoint now,
                     std::uint32_t looks) {
  rules_ = &rules;
  now_ = now;
  looks_per_room_ = looks;
  count_ = 0;
  freed_ = false;
  not_full_.clear();
  overdue_.clear();
  draft_.seated.reserve(rules.size.most);
  then_.seated.reserve(rules.size.most);
  for (Rank rank = 0; rank < waiting.size(); ++rank) {
    const Entry& entry = waiting[rank];
    if (entry.taken || !entry.roomless) continue;
    if (entry.ticket->passed >= rules.passes) overdue_.push_back(rank);
  }
}

void OrderBook::take_draft(const std::vector<Seated>& found, std::uint8_t region,
                           std::uint32_t players) {
  draft_.seated = found;
  draft_.region = region;
  draft_.players = players;
}

std::int64_t OrderBook::place_of(const Waiting& waiting, Rank rank) const {
  return rules_->distances.empty() ? 0 : waiting[rank].means[rules_->distances.front().number];
}

void OrderBook::measure(const Waiting& waiting, Made& order) const {
  order.players = 0;
  order.youngest = 0;
  order.regions = ~std::uint32_t{0};
  order.limit = no_limit;
  Rank oldest = order.seated.front().rank;
  order.low = order.high = place_of(waiting, oldest);
  for (const Seated& seated : order.seated) {
    order.players += waiting[seated.rank].size;
    order.youngest = std::max(order.youngest, seated.rank);
    oldest = std::min(oldest, seated.rank);
    order.regions &= waiting[seated.rank].regions;
    order.low = std::min(order.low, place_of(waiting, seated.rank));
    order.high = std::max(order.high, place_of(waiting, seated.rank));
  }
  if (!rules_->distances.empty()) order.limit = waiting[oldest].limits[0];
}

// Returns false if the two orders certainly cannot be one room. This check needs no search.
bool OrderBook::may_join(const Made& a, const Made& b) const {
  if (a.players + b.players > rules_->size.most || (a.regions & b.regions) == 0) return false;
  return std::max(a.high, b.high) - std::min(a.low, b.low) <= std::max(a.limit, b.limit);
}

bool OrderBook::arrange(Search& search, const Waiting& waiting, Made& order) {
  std::sort(trial_.begin(), trial_.end());
  const Duration oldest = now_ - waiting[trial_.front()].ticket->since;
  const auto& found = search.find({rules_, &waiting, oldest, looks_per_room_, true, 0}, trial_);
  looks_ += search.looks() + trial_.size();
  if (found.empty()) return false;
  order.seated = found;
  return true;
}

bool OrderBook::join(Search& search, Waiting& waiting) {
  if (draft_.players + rules_->size.least > rules_->size.most) return false;
  looks_ += not_full_.size();
  for (std::size_t i = 0; i < not_full_.size(); ++i) {
    Made& other = orders_[not_full_[i]];
    if (!may_join(draft_, other)) continue;
    trial_.clear();
    for (const Seated& seated : draft_.seated) trial_.push_back(seated.rank);
    for (const Seated& seated : other.seated) trial_.push_back(seated.rank);
    if (!arrange(search, waiting, draft_)) continue;
    const std::uint32_t common = draft_.regions & other.regions;
    if ((common >> draft_.region & 1U) == 0) {
      draft_.region = static_cast<std::uint8_t>(std::countr_zero(common));
    }
    other.seated.clear();
    not_full_.erase(not_full_.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

// Returns false if the ticket `older` certainly cannot replace a ticket of the order. Only one
// ticket is replaced, so at least one of the order's first two tickets remains. Therefore `older`
// must be near one of these two tickets.
bool OrderBook::may_stand_in(const Waiting& waiting, Rank older, const Made& order) const {
  if (order.youngest < older) return false;
  if (((waiting[older].regions >> order.region) & 1U) == 0) return false;
  if (rules_->distances.empty() || order.seated.size() < 2) return true;
  const std::int64_t limit = std::max(order.limit, waiting[older].limits[0]);
  const std::int64_t place = place_of(waiting, older);
  const auto is_near = [&](std::size_t i) {
    const std::int64_t other = place_of(waiting, order.seated[i].rank);
    return std::max(place, other) - std::min(place, other) <= limit;
  };
  return is_near(0) || is_near(1);
}

bool OrderBook::stands_in(Search& search, const Waiting& waiting, Rank older, const Made& order,
                          Made& then) {
  ++looks_;
  if (!may_stand_in(waiting, older, order)) return false;
  Rank below = static_cast<Rank>(waiting.size());
  while (true) {
    Rank youngest = older;  // youngest untried ticket
    for (const Seated& seated : order.seated) {
      if (seated.rank == older) return false;
      const bool fits = waiting[seated.rank].size == waiting[older].size;
      if (fits && seated.rank < below) youngest = std::max(youngest, seated.rank);
    }
    if (youngest == older) return false;
    trial_.assign(1, older);
    for (const Seated& seated : order.seated) {
      if (seated.rank != youngest) trial_.push_back(seated.rank);
    }
    if (arrange(search, waiting, then)) return true;
    below = youngest;
  }
}

bool OrderBook::let_older_in(Search& search, Waiting& waiting) {
  for (const Rank rank : overdue_) {
    if (rank > draft_.youngest) break;  // later tickets are younger
    if (waiting[rank].taken || !stands_in(search, waiting, rank, draft_, then_)) continue;
    // Gives back the replaced ticket. If it was `taken`, it came from an earlier order and can be
    // offered again (take_freed()).
    for (const Seated& seated : draft_.seated) {
      const bool stays =
          std::any_of(then_.seated.begin(), then_.seated.end(),
                      [&](const Seated& other) { return other.rank == seated.rank; });
      if (stays) continue;
      freed_ = freed_ || waiting[seated.rank].taken;
      waiting.give_back(seated.rank);
    }
    draft_.seated = then_.seated;
    return true;
  }
  return false;
}

std::uint64_t OrderBook::commit(Search& search, Waiting& waiting) {
  looks_ = 0;
  do { measure(waiting, draft_); } while (join(search, waiting) || let_older_in(search, waiting));
  for (const Seated& seated : draft_.seated) waiting.take(seated.rank);
  if (count_ == orders_.size()) orders_.emplace_back();
  orders_[count_].seated.reserve(rules_->size.most);  // the next draft gets this vector
  std::swap(orders_[count_], draft_);
  if (orders_[count_].players < rules_->size.most) {
    not_full_.push_back(static_cast<std::uint32_t>(count_));
  }
  ++count_;
  return looks_;
}

void OrderBook::write(Search& search, const Waiting& waiting, std::uint64_t looks, Decision& out) {
  Rank youngest = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Made& order = orders_[i];
    if (order.seated.empty()) continue;  // joined with a later order
    youngest = std::max(youngest, order.youngest);
    out.orders.push_back({static_cast<std::uint32_t>(out.placed.size()),
                          static_cast<std::uint32_t>(order.seated.size()), order.players,
                          order.region});
    for (const Seated& seated : order.seated) {
      out.placed.push_back({waiting[seated.rank].ticket->id, seated.team});
    }
  }
  looks_ = 0;
  for (Rank rank = 0; rank < youngest; ++rank) {
    if (waiting[rank].taken) continue;
    bool passed = false;
    for (std::size_t i = 0; i < count_ && !passed; ++i) {
      if (orders_[i].seated.empty()) continue;
      passed = looks_ < looks ? stands_in(search, waiting, rank, orders_[i], then_)
                              : may_stand_in(waiting, rank, orders_[i]);
    }
    if (passed) out.passed.push_back(waiting[rank].ticket->id);
  }
}

}  // namespace fixkeep::master::plan
