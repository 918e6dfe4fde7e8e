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
        out_(out) {}

  void refuse();
  void fill();
  void order();
  void write();

 private:
  [[nodiscard]] std::optional<Why> refusal(const Entry& entry) const;
  [[nodiscard]] Duration age(Rank rank) const { return now_ - waiting_[rank].ticket->since; }
  [[nodiscard]] std::optional<TimePoint> again(Rank rank) const;
  void fill_for_older(Rank newcomer);
  void order_from(Rank first);
  void look_for_room(Rank anchor);
  // Whether there are enough players in the region; a set of them becomes the draft.
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
  std::vector<Rank>& waits_;  // of each reason
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

void Planner::Call::fill() {
  for (Rank rank = 0; rank < waiting_.size(); ++rank) {
    if (waiting_[rank].taken) continue;
    const auto fill = rooms_.fill(rules_, waiting_, rank);
    if (!fill) continue;
    waiting_.take(rank);
    out_.fills.push_back(*fill);
    if (rules_.teams && rules_.teams->number) fill_for_older(rank);
  }
}

// A newcomer has changed the sums of a room's teams: somebody older may fit now.
void Planner::Call::fill_for_older(Rank newcomer) {
  for (Rank rank = 0; rank < newcomer;) {
    const auto fill =
        waiting_[rank].taken ? std::nullopt : rooms_.fill_same(rules_, waiting_, rank);
    if (fill) {
      waiting_.take(rank);
      out_.fills.push_back(*fill);
    }
    rank = fill ? 0 : rank + 1;
  }
}

std::optional<TimePoint> Planner::Call::again(Rank rank) const {
  const auto first = next_change(rules_, age(rank));
  if (!first) return std::nullopt;
  return waiting_[rank].ticket->since + *first;
}

// All candidates are tried, if the nearest make no room: more of them at each turn.
bool Planner::Call::look_in(Rank anchor, std::uint8_t region) {
  static constexpr std::uint32_t growth = 8;
  const bool waited = age(anchor) >= rules_.size.after;
  const std::uint32_t needed = waited ? rules_.size.least : rules_.size.best;
  bool enough = false;
  for (std::uint32_t times = 1;; times *= growth) {
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
      if (!found.empty()) orders_.take_draft(found, region, search_.players());
      if (!found.empty() || !search_.wants_more()) return true;
    }
    if (gathered.all) return enough;
  }
}

// Sets in other regions are only of use with more players than what was found.
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

void Planner::Call::order_from(Rank first) {
  waiting_.list(rules_, first);
  waits_.clear();
  out_.reasons.clear();
  for (Rank rank = first; rank < waiting_.size(); ++rank) {
    if (waiting_[rank].taken) continue;
    if (out_.work >= budget_.work) {
      out_.next = Cursor{waiting_[rank].ticket->since, waiting_[rank].ticket->id};
      return;
    }
    waiting_.unlist(rank);
    ++out_.work;
    look_for_room(rank);
  }
}

void Planner::Call::order() {
  Rank first = 0;
  while (budget_.from && first < waiting_.size() &&
         Cursor{waiting_[first].ticket->since, waiting_[first].ticket->id} < *budget_.from) {
    ++first;
  }
  orders_.load(rules_, waiting_, now_, budget_.looks_per_ticket);
  // Again, if a ticket lost its place after older ones had looked in vain; each time an older
  // ticket has taken a younger one's, so this ends.
  do { order_from(first); } while (orders_.take_freed() && !out_.next);
}

void Planner::Call::write() {
  orders_.write(search_, waiting_, budget_.work, out_);
  // A ticket that stood in for a younger one may have looked in vain before.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (!waiting_[waits_[i]].taken) out_.reasons[kept++] = out_.reasons[i];
  }
  out_.reasons.resize(kept);
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
