#include "master/rules/plan/planner.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "common/base/assert.hpp"
#include "master/rules/plan/order_book.hpp"
#include "master/rules/plan/room_seats.hpp"
#include "master/rules/plan/search.hpp"
#include "master/rules/plan/waiting.hpp"

namespace fixkeep::master::plan {

struct Planner::Buffers {
  Waiting waiting;
  RoomSeats rooms;
  Search search;
  OrderBook orders;
  std::vector<Rank> candidates;
  std::vector<Rank> waits;
  std::vector<Rank> roomless;
};

class Planner::Call {
 public:
  Call(const Rules& rules, TimePoint now, const Budget& budget, Buffers& buffers, Decision& out)
      : rules_(rules),
        now_(now),
        budget_(budget),
        waiting_(buffers.waiting),
        rooms_(buffers.rooms),
        search_(buffers.search),
        orders_(buffers.orders),
        candidates_(buffers.candidates),
        waits_(buffers.waits),
        roomless_(buffers.roomless),
        out_(out) {}

  void refuse();
  void fill();
  void order();
  void write();

 private:
  [[nodiscard]] std::optional<Why> refusal(const Entry& entry) const;
  [[nodiscard]] Duration age(Rank rank) const { return now_ - waiting_[rank].ticket->since; }
  [[nodiscard]] std::optional<TimePoint> again(Rank rank) const;
  void fill_one(Rank rank);
  void fill_anew();
  [[nodiscard]] bool may_look(std::uint64_t most) const { return work() < most; }
  [[nodiscard]] std::uint64_t work() const { return out_.work + rooms_.looks(); }
  void find_first();
  bool all_roomless(std::span<const Seated> set);
  void order_all();
  void look_for_room(Rank anchor);
  // Searches the region for the best set, which becomes the draft. Returns whether the region has
  // enough players.
  bool look_in(Rank anchor, std::uint8_t region);
  void wait_on(Rank rank, Why why) {
    waits_.push_back(rank);
    out_.reasons.push_back({waiting_[rank].ticket->id, why, again(rank)});
  }

  const Rules& rules_;
  TimePoint now_;
  const Budget& budget_;
  Waiting& waiting_;
  RoomSeats& rooms_;
  Search& search_;
  OrderBook& orders_;
  std::vector<Rank>& candidates_;
  std::vector<Rank>& waits_;     // the ticket of each entry in out_.reasons
  std::vector<Rank>& roomless_;  // tried tickets that fit in no room
  Rank first_ = 0;               // the oldest ticket that the last call has not visited
  std::uint64_t most_ = 0;       // limit on the work of the call
  Decision& out_;
};

std::optional<Why> Planner::Call::refusal(const Entry& entry) const {
  if (entry.size == 0 || entry.size > rules_.party || entry.size > rules_.team_size()) {
    return Why::party_too_large;
  }
  if (rules_.latency) {
    const std::int64_t last = rules_.latency->steps.back().most;
    const auto& measured = entry.ticket->latency_ms;
    const auto end = measured.begin() + static_cast<std::ptrdiff_t>(rules_.latency->regions.size());
    if (std::none_of(measured.begin(), end,
                     [&](auto ms) { return ms != unmeasured && ms <= last; })) {
      return Why::no_region;
    }
  }
  if (!rules_.roles.empty()) {
    const auto known = (1U << rules_.roles.size()) - 1U;
    const auto& members = entry.ticket->members;
    if (std::any_of(members.begin(), members.end(),
                    [&](const Member& member) { return (member.roles & known) == 0; })) {
      return Why::no_role;
    }
  }
  return std::nullopt;
}

void Planner::Call::refuse() {
  for (Rank rank = 0; rank < waiting_.size(); ++rank) {
    const auto why = refusal(waiting_[rank]);
    if (!why) continue;
    waiting_.take(rank);
    out_.refused.push_back({waiting_[rank].ticket->id, *why, std::nullopt});
  }
}

void Planner::Call::find_first() {
  while (budget_.from && first_ < waiting_.size() &&
         Cursor{waiting_[first_].ticket->since, waiting_[first_].ticket->id} < *budget_.from) {
    ++first_;
  }
  if (first_ == waiting_.size()) first_ = 0;
}

// Half of the work is for this step. If this may be too little for all tickets, the step begins
// where the last call stopped. Then half of the remaining work is for tickets that were passed over
// too often.
void Planner::Call::fill() {
  find_first();
  const auto count = static_cast<Rank>(waiting_.size());
  const std::uint64_t half = budget_.work / 2;
  const Rank begin = waiting_.size() * rooms_.size() <= half ? 0 : first_;
  roomless_.clear();
  for (Rank i = 0; i < count; ++i) {
    if (i > 0 && rooms_.free_seats() > 0 && !may_look(half)) break;
    fill_one((begin + i) % count);
  }
  for (Rank rank = 0; rank < count && may_look(half + half / 2); ++rank) {
    if (!waiting_[rank].roomless && waiting_[rank].ticket->passed >= rules_.passes) fill_one(rank);
  }
  most_ = std::max(budget_.work, work() + 1);  // at least one ticket searches for a room
}

void Planner::Call::fill_one(Rank rank) {
  if (waiting_[rank].taken) return;
  const auto fill = rooms_.fill(rules_, waiting_, rank);
  if (!fill) {
    waiting_.set_roomless(rank, true);
    roomless_.push_back(rank);
    return;
  }
  waiting_.take(rank);
  out_.fills.push_back(*fill);
  if (rules_.teams && rules_.teams->number) fill_anew();
}

// A new ticket has changed the sums of a room's teams, so a ticket that no room accepted may fit
// now. If the budget ends first, it is unknown which tickets have no room.
void Planner::Call::fill_anew() {
  for (std::size_t i = 0; i < roomless_.size();) {
    if (!may_look(budget_.work)) {
      for (const Rank rank : roomless_) waiting_.set_roomless(rank, false);
      roomless_.clear();
      return;
    }
    const Rank rank = roomless_[i];
    const auto fill = rooms_.fill_same(rules_, waiting_, rank);
    if (fill) {
      waiting_.set_roomless(rank, false);
      waiting_.take(rank);
      out_.fills.push_back(*fill);
      roomless_.erase(roomless_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    i = fill ? 0 : i + 1;
  }
}

// Returns whether all rooms refuse all tickets of the set. If a room accepts a ticket, no order may
// contain this ticket: a later call gives the seat to the oldest ticket that fits.
bool Planner::Call::all_roomless(std::span<const Seated> set) {
  bool all = true;
  for (const Seated& seated : set) {
    if (waiting_[seated.rank].roomless) continue;
    if (rooms_.takes(rules_, waiting_, seated.rank)) {
      waiting_.set_seatable(seated.rank);
      all = false;
    } else {
      waiting_.set_roomless(seated.rank, true);
    }
  }
  return all;
}

std::optional<TimePoint> Planner::Call::again(Rank rank) const {
  const auto first = next_change(rules_, age(rank));
  if (!first) return std::nullopt;
  return waiting_[rank].ticket->since + *first;
}

// If the nearest candidates make no room, each turn tries more of them, until all are tried.
bool Planner::Call::look_in(Rank anchor, std::uint8_t region) {
  static constexpr std::uint32_t growth = 8;
  const bool waited = age(anchor) >= rules_.size.after;
  const std::uint32_t needed = waited ? rules_.size.least : rules_.size.best;
  bool enough = false;
  std::uint32_t times = 1;
  while (true) {
    const auto gathered = waiting_.gather(rules_, anchor, region, times, candidates_);
    out_.work += gathered.looks;
    std::uint32_t players = waiting_[anchor].size;
    for (const Rank rank : candidates_) players += waiting_[rank].size;
    if (players >= needed && players > orders_.draft_players()) {
      enough = true;
      candidates_.insert(candidates_.begin(), anchor);
      const auto& found = search_.find({&rules_, &waiting_, age(anchor), budget_.looks_per_ticket,
                                        false, orders_.draft_players()},
                                       candidates_);
      out_.work += search_.looks();
      if (!all_roomless(found)) continue;
      if (!found.empty()) orders_.take_draft(found, region, search_.players());
      if (!found.empty() || !search_.wants_more()) return true;
    }
    if (gathered.all) return enough;
    times *= growth;
  }
}

// Searches for a set of tickets around the anchor, in each of its regions. A set in a later region
// replaces an earlier set only if it has more players.
void Planner::Call::look_for_room(Rank anchor) {
  const Entry& entry = waiting_[anchor];
  if (!waiting_.can_arrange_size(anchor)) {
    wait_on(anchor, Why::no_arrangement);
    return;
  }
  std::array<std::uint8_t, regions_most> regions{};
  std::uint32_t count = 0;
  for (std::uint32_t left = entry.regions; left != 0; left &= left - 1) {
    regions[count++] = static_cast<std::uint8_t>(std::countr_zero(left));
  }
  std::sort(regions.begin(), regions.begin() + count, [&](std::uint8_t a, std::uint8_t b) {
    const auto& measured = entry.ticket->latency_ms;
    return measured[a] != measured[b] ? measured[a] < measured[b] : a < b;
  });
  bool enough = false;
  orders_.begin();
  for (std::uint32_t i = 0; i < count && orders_.draft_players() < rules_.size.most; ++i) {
    enough = look_in(anchor, regions[i]) || enough;
  }
  if (orders_.draft_players() == 0) {
    wait_on(anchor, enough ? Why::no_arrangement : Why::too_few);
    return;
  }
  out_.work += orders_.commit(search_, waiting_);
}

void Planner::Call::order_all() {
  waiting_.list(rules_, first_);
  waits_.clear();
  out_.reasons.clear();
  for (Rank rank = first_; rank < waiting_.size(); ++rank) {
    if (waiting_[rank].taken) continue;
    if (!may_look(most_) || !waiting_[rank].roomless) {
      out_.next = Cursor{waiting_[rank].ticket->since, waiting_[rank].ticket->id};
      return;
    }
    waiting_.unlist(rank);
    ++out_.work;
    look_for_room(rank);
  }
}

void Planner::Call::order() {
  orders_.load(rules_, waiting_, now_, budget_.looks_per_ticket);
  // This step repeats if a ticket has lost its place after older tickets had found no room. The
  // loop ends, because each repetition replaces a younger ticket by an older ticket.
  do { order_all(); } while (orders_.take_freed() && !out_.next);
}

void Planner::Call::write() {
  orders_.write(search_, waiting_, budget_.work, out_);
  // Removes the reasons of tickets that found no set first, but later replaced a younger ticket.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (!waiting_[waits_[i]].taken) out_.reasons[kept++] = out_.reasons[i];
  }
  out_.reasons.resize(kept);
  out_.work += rooms_.looks();
}

Planner::Planner() : buffers_(std::make_unique<Buffers>()) {}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

void Planner::plan(const Rules& rules, const TicketPool& tickets, std::span<const Room> rooms,
                   TimePoint now, const Budget& budget, Decision& out) {
  FIXKEEP_ASSERT(rooms.size() <= rooms_most, "more rooms than a plan is made for");
  out.clear();
  buffers_->waiting.load(rules, tickets, now);
  buffers_->rooms.load(rules, rooms);
  Call call{rules, now, budget, *buffers_, out};
  call.refuse();
  call.fill();
  buffers_->waiting.keep_regions(budget.regions);
  call.order();
  call.write();
}

}  // namespace fixkeep::master::plan
