#include "client-sim/report/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client-sim/report/by_distance.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::ordered_json;

double rounded(double value) {  // to three places
  return std::round(value * 1000) / 1000;
}

ordered_json to_object(const RunResult& run) {
  const auto& verdict = run.verdict;
  ordered_json object = {
      {"lock", run.lock},
      {"masters", run.masters},
      {"workers", run.workers},
      {"players", run.players},
      {"groups", run.groups},
      {"capacity", run.capacity},
      {"arrival", run.arrival},
      {"seed", run.seed},
      {"rooms", verdict.rooms},
      {"ideal_rooms", verdict.ideal_rooms},
      {"duplicate_rooms", verdict.duplicate_rooms},
      {"orders", run.bill ? ordered_json(run.bill->orders) : ordered_json{}},
      {"collisions", run.bill ? ordered_json(run.bill->collisions.size()) : ordered_json{}},
      {"wasted_room_seconds",
       run.bill ? ordered_json(rounded(run.bill->wasted_room_seconds)) : ordered_json{}},
      {"wasted_seat_seconds",
       run.bill ? ordered_json(rounded(run.bill->wasted_seat_seconds)) : ordered_json{}},
      {"seated", verdict.seated},
      {"connected", verdict.connected},
      {"errors", verdict.errors},
      {"overbooked_seats", verdict.overbooked_seats},
      {"leaked_seats", verdict.leaked_seats},
      {"match_ms",
       {{"p50", rounded(verdict.match_ms.p50)},
        {"p90", rounded(verdict.match_ms.p90)},
        {"p99", rounded(verdict.match_ms.p99)},
        {"max", rounded(verdict.match_ms.max)}}},
      {"lock_stats", run.lock_stats},
      {"boot_ms", run.boot_ms < 0 ? ordered_json{} : ordered_json(run.boot_ms)},
      {"retries", verdict.retries},
      {"lost", verdict.lost},
      {"refused", verdict.refused},
      {"turned_away", verdict.turned_away},
      {"dropped", verdict.dropped},
      {"misplaced", verdict.misplaced},
      {"uncounted_seats", verdict.uncounted_seats},
      {"orphaned_processes", verdict.orphaned_processes},
      {"masters_silent", verdict.masters_silent},
      {"mean_fill", std::round(verdict.mean_fill * 10'000) / 10'000},
      {"reasons", verdict.reasons},
      {"complaints", run.complaints},
  };
  add_distances(object, run);
  return object;
}

std::vector<std::string> run_row(const RunResult& run) {
  const auto& verdict = run.verdict;
  return {run.lock,
          std::to_string(run.seed),
          std::to_string(verdict.rooms),
          std::to_string(verdict.ideal_rooms),
          std::to_string(verdict.duplicate_rooms),
          run.bill ? std::to_string(run.bill->collisions.size()) : "?",
          run.bill ? fmt::format("{:.1f}", run.bill->wasted_room_seconds) : "?",
          fmt::format("{}/{}", verdict.seated, run.players),
          std::to_string(verdict.connected),
          std::to_string(verdict.errors),
          std::to_string(verdict.overbooked_seats),
          std::to_string(verdict.leaked_seats),
          fmt::format("{} %", std::lround(verdict.mean_fill * 100)),
          format_ms(verdict.match_ms.p50),
          format_ms(verdict.match_ms.p90),
          format_ms(verdict.match_ms.p99),
          format_ms(verdict.match_ms.max)};
}

// The figures of all seeds, one after the other.
template <class Get>
Spread spread_over(const std::vector<const RunResult*>& runs, Get get) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const auto* run : runs) values.push_back(static_cast<double>(get(run->verdict)));
  return spread(std::move(values));
}

std::string whole(const Spread& spread) {
  const auto text = [](double value) { return std::to_string(std::llround(value)); };
  return text(spread.min) + " / " + text(spread.median) + " / " + text(spread.max);
}

std::string in_ms(const Spread& spread) {
  return format_ms(spread.min) + " / " + format_ms(spread.median) + " / " + format_ms(spread.max);
}

std::string collisions(const std::vector<const RunResult*>& runs) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (run->bill) values.push_back(static_cast<double>(run->bill->collisions.size()));
  }
  return values.empty() ? "?" : whole(spread(std::move(values)));
}

std::string wasted_seconds(const std::vector<const RunResult*>& runs) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (run->bill) values.push_back(run->bill->wasted_room_seconds);
  }
  if (values.empty()) return "?";
  const auto seconds = spread(std::move(values));
  return fmt::format("{:.1f} / {:.1f} / {:.1f}", seconds.min, seconds.median, seconds.max);
}

// Bytes that start a character: the others continue one in UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned>(c) & 0xc0U) != 0x80; }));
}

}  // namespace

bool promises_no_duplicates(const std::string& lock) {
  return lock != "none";
}

std::vector<std::string> RunResult::faults() const {
  std::vector<std::string> list;
  const auto blame = [&list](std::uint64_t count, const std::string& what) {
    if (count > 0) list.push_back(fmt::format("{} {}", count, what));
  };
  if (promises_no_duplicates(lock)) {
    blame(verdict.duplicate_rooms, "duplicate rooms");
    if (bill) blame(bill->collisions.size(), "orders that collided");
  }
  blame(verdict.overbooked_seats, "seats over capacity");
  blame(verdict.leaked_seats, "leaked seats");
  blame(verdict.uncounted_seats, "players whose seat the masters believe free");
  blame(verdict.lost, "requests lost");
  if (verdict.seated == 0 && players > 0) list.emplace_back("nobody got a seat");
  blame(verdict.misplaced, "players in a room of another group");
  blame(verdict.orphaned_processes, "game processes that outlived their worker");
  return list;
}

std::vector<CurveSample> make_curve(const Observation& seen) {
  std::vector<CurveSample> curve{{.at_ms = 0, .rooms = 0, .seats = 0}};
  for (const auto& sample : seen.samples) {
    curve.push_back({.at_ms = sample.at_ms, .rooms = sample.rooms, .seats = sample.taken});
  }
  return curve;
}

std::string to_json(const std::vector<RunResult>& runs) {
  std::string text = "{\"runs\":[";
  for (std::size_t index = 0; index < runs.size(); ++index) {
    text += index == 0 ? "\n" : ",\n";
    text += to_object(runs[index])
                .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  return text + "\n]}\n";
}

std::vector<std::string> strategies(const std::vector<RunResult>& runs) {
  std::vector<std::string> names;
  for (const auto& run : runs) {
    if (std::find(names.begin(), names.end(), run.lock) == names.end()) names.push_back(run.lock);
  }
  return names;
}

std::vector<const RunResult*> runs_of(const std::vector<RunResult>& runs, const std::string& lock) {
  std::vector<const RunResult*> found;
  for (const auto& run : runs) {
    if (run.lock == lock) found.push_back(&run);
  }
  return found;
}

std::string format_ms(double value) {
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

Table runs_table(const std::vector<RunResult>& runs) {
  Table table{{"lock", "seed", "rooms", "ideal", "duplicates", "collisions", "wasted room s",
               "seated", "connected", "errors", "overbooked", "leaked", "fill", "p50 ms", "p90 ms",
               "p99 ms", "max ms"}};
  for (const auto& run : runs) table.push_back(run_row(run));
  return table;
}

Table seeds_table(const std::vector<RunResult>& runs) {
  Table table{{"lock", "seeds", "exact", "rooms", "duplicates", "collisions", "wasted room s",
               "connected", "overbooked", "leaked", "p50 ms", "p99 ms"}};
  for (const auto& lock : strategies(runs)) {
    const auto mine = runs_of(runs, lock);
    const auto exact = std::count_if(mine.begin(), mine.end(), [](const RunResult* run) {
      const auto& verdict = run->verdict;
      const bool as_needed = run->arrival == "churn" || verdict.rooms == verdict.ideal_rooms;
      return as_needed && verdict.duplicate_rooms == 0 && verdict.errors == 0;
    });
    table.push_back({lock, std::to_string(mine.size()), fmt::format("{}/{}", exact, mine.size()),
                     whole(spread_over(mine, [](const Verdict& v) { return v.rooms; })),
                     whole(spread_over(mine, [](const Verdict& v) { return v.duplicate_rooms; })),
                     collisions(mine), wasted_seconds(mine),
                     whole(spread_over(mine, [](const Verdict& v) { return v.connected; })),
                     whole(spread_over(mine, [](const Verdict& v) { return v.overbooked_seats; })),
                     whole(spread_over(mine, [](const Verdict& v) { return v.leaked_seats; })),
                     in_ms(spread_over(mine, [](const Verdict& v) { return v.match_ms.p50; })),
                     in_ms(spread_over(mine, [](const Verdict& v) { return v.match_ms.p99; }))});
  }
  return table;
}

std::string to_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(row[column]));
    }
  }
  std::string text;
  for (std::size_t index = 0; index < table.size(); ++index) {
    const auto& row = table[index];
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - width_of(row[column]), ' ');
      if (column > 0) text += "  ";
      text += column == 0 ? row[column] + padding : padding + row[column];
    }
    text += '\n';
    if (index > 0) continue;
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (column > 0) text += "  ";
      text += std::string(widths[column], '-');
    }
    text += '\n';
  }
  return text;
}

}  // namespace fixkeep::client_sim
