// The orders that one call of the planner is making. A new order is joined with an earlier order if
// both can be one room. Tickets that were passed over too often replace younger tickets.
//
// Thread rule: one owner. Bounds: an order is compared with every earlier order that is not full,
// and with every ticket that was passed over too often. Memory is reused.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "master/rules/plan/decision.hpp"
#include "master/rules/plan/search.hpp"

namespace fixkeep::master::plan {

class OrderBook {
 public:
  // Begins a call, without orders. REQUIRES: the rules outlive the call; Entry::taken is true for
  // refused and seated tickets, and Entry::roomless for tickets that all rooms have refused: only
  // these tickets replace others.
  void load(const Rules& rules, const Waiting& waiting, TimePoint now, std::uint32_t looks);

  void begin() {
    draft_.seated.clear();
    draft_.players = 0;
  }
  [[nodiscard]] std::uint32_t draft_players() const { return draft_.players; }
  void take_draft(const std::vector<Seated>& found, std::uint8_t region, std::uint32_t players);
  // Turns the draft into an order. Returns its work in looks (see Budget::work).
  std::uint64_t commit(Search& search, Waiting& waiting);
  // Returns whether a ticket has lost its place in an order since the last call. Such a ticket can
  // be offered again.
  [[nodiscard]] bool take_freed() { return std::exchange(freed_, false); }

  // Writes orders and passed-over tickets with at most `looks` looks. Beyond this limit, names all
  // tickets that were possibly passed over.
  void write(Search& search, const Waiting& waiting, std::uint64_t looks, Decision& out);

 private:
  struct Made {
    std::vector<Seated> seated;
    std::uint32_t players = 0;
    std::uint8_t region = 0;
    Rank youngest = 0;
    std::uint32_t regions = 0;  // regions where all tickets may play
    std::int64_t low = 0;       // range of the first distance
    std::int64_t high = 0;
    std::int64_t limit = no_limit;
  };

  [[nodiscard]] std::int64_t place_of(const Waiting& waiting, Rank rank) const;
  void measure(const Waiting& waiting, Made& order) const;
  [[nodiscard]] bool may_join(const Made& a, const Made& b) const;
  // Returns whether the tickets in trial_ can be one room. If so, puts them into `order`.
  bool arrange(Search& search, const Waiting& waiting, Made& order);
  bool join(Search& search, Waiting& waiting);
  bool let_older_in(Search& search, Waiting& waiting);
  // Returns whether `older` can replace a younger ticket in the order. If so, `then` is the new
  // order.
  bool stands_in(Search& search, const Waiting& waiting, Rank older, const Made& order, Made& then);
  [[nodiscard]] bool may_stand_in(const Waiting& waiting, Rank older, const Made& order) const;

  const Rules* rules_ = nullptr;
  TimePoint now_;
  std::uint32_t looks_per_room_ = 0;
  std::uint64_t looks_ = 0;
  bool freed_ = false;
  std::vector<Made> orders_;  // the first count_ belong to this call; the others keep their memory
  std::size_t count_ = 0;
  std::vector<std::uint32_t> not_full_;
  std::vector<Rank> overdue_;
  std::vector<Rank> trial_;
  Made draft_;
  Made then_;
};

}  // namespace fixkeep::master::plan
