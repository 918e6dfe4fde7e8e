#include "lab/pools/pool_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace fixkeep::client_sim {
namespace {

using events::Event;
using events::EventTime;
using master::plan::Rules;
using master::plan::Widening;
using std::chrono::microseconds;

// The span (highest minus lowest) of each number over a set of players.
class Spans {
 public:
  void add(const Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      low_[i] = any_ ? std::min(low_[i], numbers[i]) : numbers[i];
      high_[i] = any_ ? std::max(high_[i], numbers[i]) : numbers[i];
    }
    any_ = true;
  }
  [[nodiscard]] std::int64_t width(std::size_t number) const {
    return high_[number] - low_[number];
  }

 private:
  bool any_ = false;
  Numbers low_{};
  Numbers high_{};
};

struct Claim {
  PlayerId player;
  std::uint32_t seats = 1;
};

struct PoolRoom {
  WorkerId worker;
  std::uint32_t capacity = 0;
  bool takes = true;           // accepts players, now or after the boot
  std::vector<Claim> ordered;  // claims until the worker reports the room
  std::set<PlayerId> players;  // players after that report
  std::map<PlayerId, EventTime> gone;
  EventTime freed = EventTime::min();
};

using RoomKey = std::pair<GroupKey, CreationId>;

// The decision of one master during one hold of a pool's lock.
struct Decision {
  std::set<WorkerId> fenced;
  EventTime fenced_at = EventTime::max();
  bool seats = false;
  std::map<CreationId, std::vector<Claim>> orders;  // executed orders
  std::map<RoomKey, std::vector<Claim>> fills;
};

class PoolSearch {
 public:
  PoolSearch(const std::vector<Event>& seen, const Rules& rules, const Brought& brought,
             const PoolTolerance& tolerance)
      : seen_(seen), rules_(rules), brought_(brought), tolerance_(tolerance), waits_(tolerance) {
    for (const Event& event : seen) {
      const auto* changed = std::get_if<events::RoomChanged>(&event.what);
      if (changed != nullptr) made_.insert({changed->group, changed->creation});
    }
  }

  PoolBill run(const std::vector<NodeEnd>& ends) {
    auto end = ends.begin();
    for (const Event& event : seen_) {
      for (; end != ends.end() && end->at <= event.at; ++end) waits_.ended(end->node, end->at);
      std::visit([&](const auto& what) { on(event, what); }, event.what);
    }
    for (const auto& [player, seats] : seats_) {
      for (const auto& [room, since] : seats) judge_once(player, room, seen_.back().at);
    }
    return std::move(bill_);
  }

 private:
  void on(const Event&, const auto&) {}

  // --- waiting players
  void on(const Event& event, const events::MatchAsked& what) {
    if (!what.player.empty()) waits_.asked(event.node, what, event.at);
  }
  void on(const Event& event, const events::MatchAnswered& what) {
    waits_.answered(event.node, what.ticket, event.at);
  }

  // --- decisions by masters
  void on(const Event& event, const events::LockGranted& what) {
    decisions_[{event.node, what.group}] = {};
  }
  void on(const Event& event, const events::FenceAsked& what) {
    Decision& decision = decisions_[{event.node, what.group}];
    decision.fenced_at = std::min(decision.fenced_at, event.at);
    fences_[{event.node, what.worker, what.request}] = what.group;
  }
  void on(const Event& event, const events::FenceAnswered& what) {
    const auto fence = fences_.extract({event.node, what.worker, what.request});
    if (!fence.empty()) decisions_[{event.node, fence.mapped()}].fenced.insert(what.worker);
  }
  void on(const Event& event, const events::SeatsAsked& what) {
    const auto at = places_.find({what.worker, what.room});
    if (what.players.empty() || at == places_.end()) return;
    const RoomKey key = at->second;
    Decision& decision = decision_of(event, key.first);
    for (const PlayerId& player : what.players) {
      const Claim claim{player, waits_.seats_of(player)};
      const PoolRoom& room = rooms_.at(key);
      if (is_known_there(room, player, event.at)) continue;  // a repeated request
      auto& before = decision.fills[key];
      judge_fill(event, key, room, before, claim);
      before.push_back(claim);
      ++bill_.fills;
    }
  }
  // Returns whether the player has a seat in the room, or lost the seat so recently that the master
  // may not know this.
  [[nodiscard]] bool is_known_there(const PoolRoom& room, const PlayerId& player,
                                    EventTime at) const {
    const auto gone = room.gone.find(player);
    return room.players.contains(player) ||
           (gone != room.gone.end() &&
            at - gone->second < tolerance_.clocks + tolerance_.gathering);
  }
  void on(const Event& event, const events::RoomOrdered& what) {
    const RoomKey key{what.group, what.creation};
    if (what.players.empty() || what.players.size() != what.claims.size()) return;
    if (!ordered_.insert(key).second) return;  // a repeated order
    if (!made_.contains(key)) {
      ++bill_.refused;
      return;
    }
    std::vector<Claim> claims;
    for (std::size_t i = 0; i < what.players.size(); ++i) {
      claims.push_back({what.players[i], what.claims[i]});
    }
    Decision& decision = decision_of(event, what.group);
    ++bill_.orders;
    judge_order(event, what, claims);
    if (can_say_who_joins()) {
      if (is_needless(event, key, claims, decision)) {
        ++bill_.needless;
      } else if (is_loose(event, key, claims, decision)) {
        ++bill_.loose;
      }
    }
    decision.orders[what.creation] = claims;
    rooms_[key] = {.worker = what.worker, .capacity = what.capacity, .ordered = std::move(claims)};
  }

  // --- reports by workers
  void on(const Event& event, const events::RoomChanged& what) {
    const RoomKey key{what.group, what.creation};
    if (what.seated.empty() && !rooms_.contains(key)) return;
    PoolRoom& room = rooms_[key];
    room.ordered.clear();
    room.worker = what.room.worker;
    room.capacity = what.capacity;
    room.takes = what.phase == wire::RoomPhase::starting || what.phase == wire::RoomPhase::open;
    places_[{what.room.worker, what.room.number}] = key;
    for (const PlayerId& player : what.seated) {
      if (room.players.insert(player).second) seats_[player].emplace(key, event.at);
    }
    const bool closed = what.phase == wire::RoomPhase::closed;
    const auto left =
        closed ? std::vector<PlayerId>(room.players.begin(), room.players.end()) : what.left;
    for (const PlayerId& player : left) leave(event, key, room, player);
    if (closed) rooms_.erase(key);
  }

  void leave(const Event& event, const RoomKey& key, PoolRoom& room, const PlayerId& player) {
    if (room.players.erase(player) == 0) return;
    room.freed = room.gone[player] = event.at;
    judge_once(player, key, event.at);
    const auto seats = seats_.find(player);
    seats->second.erase(key);
    if (seats->second.empty()) seats_.erase(seats);
  }

  // --- J1
  void judge_fill(const Event& event, const RoomKey& key, const PoolRoom& room,
                  const std::vector<Claim>& before, const Claim& claim) {
    const Spans spans = spans_of(room, before, claim);
    const auto ages = waits_.ages_of(claim.player, event.at);
    if (!ages) return;
    for (const auto& distance : rules_.distances) {
      const auto limit = master::plan::limit_at(distance.steps, ages->longest);
      if (spans.width(distance.number) <= limit) continue;
      ++bill_.too_wide;
      say("J1: {} joins {} of {} over {}, beyond {}", claim.player.text(), to_string(key.second),
          key.first.text(), spans.width(distance.number), limit);
      return;
    }
  }

  void judge_order(const Event& event, const events::RoomOrdered& order,
                   const std::vector<Claim>& claims) {
    Spans spans;
    std::uint32_t players = 0;
    microseconds oldest{};
    for (const Claim& claim : claims) {
      spans.add(numbers_of(claim.player));
      players += claim.seats;
      const auto ages = waits_.ages_of(claim.player, event.at);
      oldest = std::max(oldest, ages ? ages->longest : microseconds::max());
    }
    bool fine = rules_.may_start(players, oldest);
    if (!fine) say("J1: {} starts with {}", to_string(order.creation), players);
    for (const auto& distance : rules_.distances) {
      const auto limit = limit_of(distance, claims, event.at, &Ages::longest);
      if (!fine || spans.width(distance.number) <= limit) continue;
      fine = false;
      say("J1: {} starts over {}, beyond {}", to_string(order.creation),
          spans.width(distance.number), limit);
    }
    if (!fine) ++bill_.too_wide;
  }

  // --- J2
  bool is_needless(const Event& event, const RoomKey& order, const std::vector<Claim>& claims,
                   const Decision& decision) {
    for (const auto& entry : rooms_) {
      const RoomKey& key = entry.first;
      const PoolRoom& room = entry.second;
      if (key.first != order.first || decision.orders.contains(key.second)) continue;
      if (!room.takes || !decision.fenced.contains(room.worker)) continue;
      if (room.freed >= decision.fenced_at) continue;
      const auto at = decision.fills.find(key);
      const auto& fills = at == decision.fills.end() ? no_claims_ : at->second;
      const auto could = std::find_if(claims.begin(), claims.end(), [&](const Claim& claim) {
        return could_join(room, fills, claim, event.at);
      });
      if (could == claims.end()) continue;
      say("J2: {} could have joined {} instead of {} of {}", could->player.text(),
          to_string(key.second), to_string(order.second), event.node);
      return true;
    }
    return false;
  }

  bool could_join(const PoolRoom& room, const std::vector<Claim>& fills, const Claim& claim,
                  EventTime at) const {
    std::uint64_t taken = room.players.size();
    for (const auto* claims : {&room.ordered, &fills}) {
      for (const Claim& each : *claims) taken += each.seats;
    }
    const auto ages = waits_.ages_of(claim.player, at);
    if (!ages || taken + claim.seats > room.capacity) return false;
    const Spans spans = spans_of(room, fills, claim);
    return std::all_of(rules_.distances.begin(), rules_.distances.end(), [&](const auto& distance) {
      return spans.width(distance.number) <= master::plan::limit_at(distance.steps, ages->shortest);
    });
  }

  // --- J3
  bool is_loose(const Event& event, const RoomKey& order, const std::vector<Claim>& claims,
                const Decision& decision) {
    for (const auto& [creation, others] : decision.orders) {
      if (creation.token != order.second.token) continue;
      std::vector<Claim> both = claims;
      both.insert(both.end(), others.begin(), others.end());
      if (!could_be_one(both, event.at)) continue;
      say("J3: {} and {} of {} could be one room", to_string(creation), to_string(order.second),
          event.node);
      return true;
    }
    return false;
  }

  bool could_be_one(const std::vector<Claim>& claims, EventTime at) const {
    Spans spans;
    std::uint64_t players = 0;
    for (const Claim& claim : claims) {
      spans.add(numbers_of(claim.player));
      players += claim.seats;
    }
    if (players > rules_.size.most) return false;
    return std::all_of(rules_.distances.begin(), rules_.distances.end(), [&](const auto& distance) {
      return spans.width(distance.number) <= limit_of(distance, claims, at, &Ages::shortest);
    });
  }

  // --- J4
  void judge_once(const PlayerId& player, const RoomKey& key, EventTime until) {
    const auto& seats = seats_.at(player);
    for (const auto& [other, since] : seats) {
      if (other.first != key.first || other == key) continue;
      if (until - std::max(since, seats.at(key)) <= tolerance_.clocks) continue;
      const bool fresh = twice_.insert({player, std::min(key, other), std::max(key, other)}).second;
      if (!fresh) continue;
      ++bill_.seated_twice;
      say("J4: {} has seats in {} and {}", player.text(), to_string(key.second),
          to_string(other.second));
    }
  }

  // --- facts about claims
  Decision& decision_of(const Event& event, const GroupKey& group) {
    Decision& decision = decisions_[{event.node, group}];
    if (!std::exchange(decision.seats, true)) ++bill_.decisions;
    return decision;
  }

  [[nodiscard]] const Numbers& numbers_of(const PlayerId& player) const {
    static const Numbers none{};
    const auto found = brought_.find(player);
    return found == brought_.end() ? none : found->second;
  }

  // Returns the limit of a distance rule for these claims. `which` selects the assumed wait of each
  // claim: its longest or its shortest possible wait.
  [[nodiscard]] std::int64_t limit_of(const master::plan::DistanceRule& distance,
                                      const std::vector<Claim>& claims, EventTime at,
                                      microseconds Ages::*which) const {
    std::optional<microseconds> age;
    for (const Claim& claim : claims) {
      const auto ages = waits_.ages_of(claim.player, at);
      const bool widest = which == &Ages::longest;
      const auto own = ages ? (*ages).*which : widest ? microseconds::max() : microseconds{};
      if (!age) age = own;
      age = distance.widening == Widening::both ? std::min(*age, own) : std::max(*age, own);
    }
    return master::plan::limit_at(distance.steps, age.value_or(microseconds{}));
  }

  [[nodiscard]] Spans spans_of(const PoolRoom& room, const std::vector<Claim>& more,
                               const Claim& claim) const {
    Spans spans;
    spans.add(numbers_of(claim.player));
    for (const PlayerId& player : room.players) spans.add(numbers_of(player));
    for (const auto* claims : {&room.ordered, &more}) {
      for (const Claim& each : *claims) spans.add(numbers_of(each.player));
    }
    return spans;
  }

  [[nodiscard]] bool can_say_who_joins() const {
    return !rules_.teams && !rules_.latency && !rules_.avoid && rules_.roles.empty();
  }

  template <class... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    if (bill_.words.size() == PoolBill::words_most) return;
    bill_.words.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  const std::vector<Event>& seen_;
  const Rules& rules_;
  const Brought& brought_;
  const PoolTolerance tolerance_;
  const std::vector<Claim> no_claims_;
  std::set<RoomKey> made_;
  std::set<RoomKey> ordered_;
  PoolWaits waits_;
  std::map<std::pair<std::string, GroupKey>, Decision> decisions_;
  std::map<std::tuple<std::string, WorkerId, std::uint64_t>, GroupKey> fences_;
  std::map<RoomKey, PoolRoom> rooms_;  // existing rooms, and rooms whose order is going to be
                                       // carried out
  std::map<std::pair<WorkerId, RoomNumber>, RoomKey> places_;
  std::map<PlayerId, std::map<RoomKey, EventTime>> seats_;  // seats with the time of their start
  std::set<std::tuple<PlayerId, RoomKey, RoomKey>> twice_;  // pairs already counted
  PoolBill bill_;
};

}  // namespace

PoolBill judge_pools(const std::vector<Event>& seen, const Rules& rules, const Brought& brought,
                     const PoolTolerance& tolerance, const std::vector<NodeEnd>& ends) {
  return PoolSearch{seen, rules, brought, tolerance}.run(ends);
}

}  // namespace fixkeep::client_sim
