#include "lab/replay/replay.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "common/base/wait_estimator.hpp"
#include "master/rules/plan/planner.hpp"

namespace fixkeep::client_sim::replay {
namespace {

using namespace master::plan;

class Run {
 public:
  Run(const Rules& rules, const std::vector<Arrival>& arrivals, const ReplayOptions& options)
      : rules_(rules), arrivals_(arrivals), options_(options), slots_(arrivals.size()) {
    out_.tickets.resize(arrivals.size());
  }

  Replayed run() {
    Duration now{};
    std::size_t next = 0;
    while (next < arrivals_.size() || waiting_ > 0) {
      if (waiting_ == 0) now = std::max(now, arrivals_[next].at);
      if (next < arrivals_.size() && arrivals_[next].at <= now) {
        const auto p90 = estimate(now);
        for (; next < arrivals_.size() && arrivals_[next].at <= now; ++next) {
          out_.told_p90.push_back(p90);
          arrive(next);
        }
      }
      for (auto& [name, pool] : pools_) {
        leave(pool, now);
        if (pool.tickets.size() > 0) decide(pool, now);
      }
      now += options_.tick;
    }
    return std::move(out_);
  }

 private:
  struct OpenRoom {
    Room room;
    Duration ends{};
  };
  struct Pool {
    TicketPool tickets;
    std::vector<std::size_t> in_order;  // arrivals; some have already ended
    std::size_t first = 0;
    std::map<std::uint64_t, OpenRoom> rooms;
    std::optional<Cursor> from;
  };

  static TimePoint at(Duration time) { return TimePoint{time}; }
  static std::size_t index_of(TicketId id) { return id.number() - 1; }

  [[nodiscard]] std::optional<Duration> estimate(Duration now) const {
    WaitHistogram waiting;
    for (const auto& [name, pool] : pools_) {
      pool.tickets.each([&](const Ticket& ticket) { waiting.add(at(now) - ticket.since); });
    }
    return estimator_.estimate(at(now), waiting).p90;
  }

  void arrive(std::size_t index) {
    Pool& pool = pools_[arrivals_[index].pool];
    if (pool.tickets.size() + 1 >= tickets_most) return;
    Ticket ticket = arrivals_[index].ticket;
    ticket.since = at(arrivals_[index].at);
    slots_[index] = {pool.tickets.insert(ticket), true};
    pool.in_order.push_back(index);
    ++waiting_;
  }

  void end(Pool& pool, std::size_t index, TicketEnd how) {
    pool.tickets.remove(slots_[index].slot);
    slots_[index].waits = false;
    out_.tickets[index] = how;
    const TimePoint now = at(arrivals_[index].at + how.waited);
    if (how.what == TicketEnd::What::seated) estimator_.seated(how.waited, now);
    if (how.what == TicketEnd::What::left) estimator_.gave_up(how.waited, now);
    --waiting_;
  }

  void leave(Pool& pool, Duration now) {
    for (; pool.first < pool.in_order.size(); ++pool.first) {
      const std::size_t index = pool.in_order[pool.first];
      if (!slots_[index].waits) continue;
      if (arrivals_[index].at + rules_.wait > now) break;
      end(pool, index, {TicketEnd::What::left, rules_.wait});
    }
    std::erase_if(pool.rooms, [now](const auto& room) { return room.second.ends <= now; });
  }

  void decide(Pool& pool, Duration now) {
    rooms_.clear();
    for (const auto& [id, open] : pool.rooms) {
      if (rooms_.size() < rooms_most) rooms_.push_back(open.room);
    }
    Budget budget;
    budget.from = pool.from;
    planner_.plan(rules_, pool.tickets, rooms_, at(now), budget, decision_);
    ++out_.decisions;
    pool.from = decision_.next;
    for (const Reason& reason : decision_.refused) {
      end(pool, index_of(reason.ticket), {TicketEnd::What::refused, Duration{}});
    }
    for (const TicketId id : decision_.passed) {
      ++pool.tickets.at(slots_[index_of(id)].slot).passed;
      ++out_.passed;
    }
    for (const Fill& fill : decision_.fills) {
      seat(pool, pool.rooms.at(fill.room), fill.ticket, fill.team, now);
      if (is_full(pool.rooms.at(fill.room).room)) pool.rooms.erase(fill.room);
    }
    for (const Order& order : decision_.orders) make_room(pool, order, now);
  }

  static bool is_full(const Room& room) {
    return std::all_of(room.teams.begin(), room.teams.end(),
                       [](const RoomTeam& team) { return team.free == 0; });
  }

  void make_room(Pool& pool, const Order& order, Duration now) {
    OpenRoom open;
    open.ends = now + options_.session;
    open.room.id = out_.rooms.size();
    open.room.since = at(now);
    open.room.region = order.region;
    RoomTeam team;
    team.free = rules_.team_size();
    open.room.teams.assign(rules_.team_count(), team);
    out_.rooms.emplace_back();
    out_.rooms.back().started = now;
    for (std::uint32_t p = order.first; p < order.first + order.count; ++p) {
      seat(pool, open, decision_.placed[p].ticket, decision_.placed[p].team, now);
    }
    RoomEnd& end = out_.rooms.back();
    end.players_at_start = end.players;
    if (!rules_.distances.empty()) {
      const std::size_t number = rules_.distances.front().number;
      end.spread = open.room.high[number] - open.room.low[number];
    }
    if (rules_.teams && rules_.teams->number) {
      const auto by_sum = [](const RoomTeam& a, const RoomTeam& b) { return a.sum < b.sum; };
      const auto [low, high] =
          std::minmax_element(open.room.teams.begin(), open.room.teams.end(), by_sum);
      end.gap = high->sum - low->sum;
      end.has_gap = true;
    }
    if (!is_full(open.room)) pool.rooms.emplace(open.room.id, std::move(open));
  }

  void seat(Pool& pool, OpenRoom& open, TicketId id, std::uint32_t team_index, Duration now) {
    const std::size_t index = index_of(id);
    const Ticket& ticket = arrivals_[index].ticket;
    const auto players = static_cast<std::uint32_t>(ticket.members.size());
    Room& room = open.room;
    RoomEnd& end_of_room = out_.rooms[room.id];
    for (std::size_t n = 0; n < rules_.numbers.size(); ++n) {
      const auto mean = static_cast<std::int64_t>(
          std::floor(static_cast<double>(ticket.sums[n]) / static_cast<double>(players)));
      room.low[n] = end_of_room.players == 0 ? mean : std::min(room.low[n], mean);
      room.high[n] = end_of_room.players == 0 ? mean : std::max(room.high[n], mean);
    }
    RoomTeam& team = room.teams[team_index];
    team.players += players;
    team.free -= players;
    if (rules_.teams && rules_.teams->number) team.sum += ticket.sums[*rules_.teams->number];
    for (const Member& member : ticket.members) {
      room.players.push_back(member.player);
      if (!rules_.roles.empty()) team.roles.push_back(member.roles);
    }
    if (rules_.avoid && now - arrivals_[index].at < rules_.avoid->until) {
      room.avoided.insert(room.avoided.end(), ticket.avoids.begin(), ticket.avoids.end());
    }
    end_of_room.players += players;
    const std::uint16_t latency =
        rules_.latency ? ticket.latency_ms[room.region] : std::uint16_t{0};
    end(pool, index,
        {TicketEnd::What::seated, now - arrivals_[index].at, static_cast<std::uint32_t>(room.id),
         latency});
  }

  struct Slot {
    TicketPool::Slot slot = 0;
    bool waits = false;
  };
  const Rules& rules_;
  const std::vector<Arrival>& arrivals_;
  const ReplayOptions& options_;
  std::vector<Slot> slots_;
  std::size_t waiting_ = 0;
  std::map<std::string, Pool> pools_;
  WaitEstimator estimator_;
  std::vector<Room> rooms_;
  Planner planner_;
  Decision decision_;
  Replayed out_;
};

}  // namespace

Replayed replay(const Rules& rules, const std::vector<Arrival>& arrivals,
                const ReplayOptions& options) {
  return Run{rules, arrivals, options}.run();
}

}  // namespace fixkeep::client_sim::replay
