#include "lab/replay/figures.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace fixkeep::client_sim::replay {
namespace {

using master::plan::Rules;

double seconds_of(Duration time) {
  return static_cast<double>(time.count()) / 1e6;
}

std::int64_t number_of_first(const Rules& rules, const Arrival& arrival) {
  const std::size_t number = rules.distances.empty() ? 0 : rules.distances.front().number;
  return arrival.ticket.sums[number] / static_cast<std::int64_t>(arrival.ticket.members.size());
}

void add_deciles(const Rules& rules, const std::vector<Arrival>& arrivals, const Replayed& replayed,
                 Figures& figures) {
  if (rules.numbers.empty() || arrivals.size() < 10) return;
  std::vector<std::size_t> order(arrivals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return number_of_first(rules, arrivals[a]) < number_of_first(rules, arrivals[b]);
  });
  for (std::size_t decile = 0; decile < 10; ++decile) {
    const std::size_t from = arrivals.size() * decile / 10;
    const std::size_t to = arrivals.size() * (decile + 1) / 10;
    std::vector<double> waits;
    for (std::size_t i = from; i < to; ++i) {
      const TicketEnd& end = replayed.tickets[order[i]];
      if (end.what == TicketEnd::What::seated) waits.push_back(seconds_of(end.waited));
    }
    figures.left_by_decile.push_back(
        100 * (1 - static_cast<double>(waits.size()) / static_cast<double>(to - from)));
    figures.waits_by_decile.push_back(percentiles(std::move(waits)));
  }
}

void add_hours(const std::vector<Arrival>& arrivals, const Replayed& replayed, Figures& figures) {
  static constexpr std::size_t hours_most = 7 * 24;
  std::vector<std::vector<double>> hours;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const auto hour = static_cast<std::size_t>(seconds_of(arrivals[i].at) / 3'600);
    if (hour >= hours_most) break;
    if (hours.size() <= hour) hours.resize(hour + 1);
    if (replayed.tickets[i].what != TicketEnd::What::seated) continue;
    hours[hour].push_back(seconds_of(replayed.tickets[i].waited));
  }
  for (auto& hour : hours) figures.waits_by_hour.push_back(percentiles(std::move(hour)));
}

// Computes the mean wait if in each pool the players fill rooms in the order of arrival, and each
// room starts when its last player arrives. No room can start earlier, so no mean wait is shorter.
std::optional<double> least_mean_wait(const Rules& rules, const std::vector<Arrival>& arrivals) {
  if (rules.size.least < rules.size.most || arrivals.empty()) return std::nullopt;
  struct Filling {
    double first_waits = 0;  // sum of the arrival times of waiting players
    double players = 0;
  };
  std::map<std::string, Filling> pools;
  double waited = 0;
  double players = 0;
  for (const Arrival& arrival : arrivals) {
    Filling& filling = pools[arrival.pool];
    const double at = seconds_of(arrival.at);
    for (std::size_t m = 0; m < arrival.ticket.members.size(); ++m) {
      filling.first_waits += at;
      if (++filling.players < rules.size.most) continue;
      waited += at * filling.players - filling.first_waits;
      players += filling.players;
      filling = {};
    }
  }
  return players > 0 ? std::optional{waited / players} : std::nullopt;
}

}  // namespace

Figures figures_of(const std::string& name, const Rules& rules,
                   const std::vector<Arrival>& arrivals, const Replayed& replayed) {
  Figures figures;
  figures.name = name;
  figures.tickets = arrivals.size();
  figures.passed = replayed.passed;
  figures.rooms = replayed.rooms.size();
  std::vector<double> latencies;
  double waited = 0;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const std::size_t players = arrivals[i].ticket.members.size();
    const TicketEnd& end = replayed.tickets[i];
    figures.players += players;
    const auto& p90 = replayed.told_p90[i];
    if (p90 && end.what != TicketEnd::What::refused) {
      ++figures.told;
      if (end.what == TicketEnd::What::seated && end.waited <= *p90) ++figures.told_right;
    }
    switch (end.what) {
      case TicketEnd::What::seated:
        figures.seated += players;
        figures.all_waits_s.push_back(seconds_of(end.waited));
        waited += seconds_of(end.waited) * static_cast<double>(players);
        if (rules.latency) latencies.push_back(end.latency_ms);
        break;
      case TicketEnd::What::left: figures.left += players; break;
      case TicketEnd::What::refused: figures.refused += players; break;
    }
  }
  figures.waits_s = percentiles(figures.all_waits_s);
  figures.latency_ms = percentiles(std::move(latencies));
  if (figures.seated > 0) figures.mean_wait_s = waited / static_cast<double>(figures.seated);
  figures.least_mean_wait_s = least_mean_wait(rules, arrivals);
  std::vector<double> spreads;
  std::vector<double> gaps;
  double taken = 0;
  for (const RoomEnd& room : replayed.rooms) {
    spreads.push_back(static_cast<double>(room.spread));
    if (room.has_gap) gaps.push_back(static_cast<double>(room.gap));
    taken += room.players_at_start;
  }
  if (!replayed.rooms.empty()) {
    figures.fill = taken / static_cast<double>(replayed.rooms.size() * rules.size.most);
  }
  figures.spread = percentiles(std::move(spreads));
  if (!gaps.empty()) figures.gap = percentiles(std::move(gaps));
  add_deciles(rules, arrivals, replayed, figures);
  add_hours(arrivals, replayed, figures);
  return figures;
}

std::optional<Comparison> compare_with_optimum(const Rules& rules,
                                               const std::vector<Arrival>& arrivals,
                                               const ReplayOptions& options, std::size_t count,
                                               double lambda) {
  count = std::min({count, arrivals.size(), optimum_most}) / 2 * 2;
  if (rules.size.most != 2 || rules.party != 1 || rules.distances.empty() || count == 0) return {};
  const std::vector<Arrival> some(arrivals.begin(),
                                  arrivals.begin() + static_cast<std::ptrdiff_t>(count));
  Comparison made{.lambda = lambda, .arrivals = count};
  std::vector<Point> points;
  points.reserve(some.size());
  for (const Arrival& arrival : some) {
    points.push_back({arrival.at, number_of_first(rules, arrival)});
  }
  const Replayed own = replay(rules, some, options);
  std::vector<double> distances;
  for (const RoomEnd& room : own.rooms) distances.push_back(static_cast<double>(room.spread));
  std::vector<double> waits(own.rooms.size());
  for (const TicketEnd& end : own.tickets) {
    if (end.what != TicketEnd::What::seated) continue;
    waits[end.room] = std::max(waits[end.room], seconds_of(end.waited));
  }
  made.own_cost = std::accumulate(distances.begin(), distances.end(), 0.0) +
                  lambda * std::accumulate(waits.begin(), waits.end(), 0.0);
  made.own_distances = percentiles(std::move(distances));
  made.own_waits_s = percentiles(std::move(waits));
  Optimum best = best_pairs(points, lambda);
  made.best_cost = best.cost;
  made.best_distances = percentiles(std::move(best.distances));
  made.best_waits_s = percentiles(std::move(best.waits_s));
  return made;
}

}  // namespace fixkeep::client_sim::replay
