#include "client-sim/report/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace fixkeep::client_sim {

namespace {

// If client-sim's own lateness (p99) is above this share of the time to match (p99), the run gets a
// warning.
constexpr double own_lateness_share = 0.1;

}  // namespace

bool promises_no_duplicates(const std::string& lock) {
  return lock != "none";
}

std::vector<std::string> RunResult::faults() const {
  std::vector<std::string> list;
  const auto blame = [&list](std::uint64_t count, std::string_view one, std::string_view several) {
    if (count > 0) list.push_back(fmt::format("{} {}", count, count == 1 ? one : several));
  };
  if (promises_no_duplicates(lock)) {
    blame(verdict.duplicate_rooms, "duplicate room", "duplicate rooms");
    if (bill) blame(bill->collisions.size(), "order that collided", "orders that collided");
  }
  if (own) {
    for (auto& fault : own->faults(promises_no_duplicates(lock))) list.push_back(std::move(fault));
  }
  blame(verdict.overbooked_seats, "seat over capacity", "seats over capacity");
  blame(verdict.leaked_seats, "leaked seat", "leaked seats");
  blame(verdict.uncounted_seats, "player in a seat that masters count as free",
        "players in seats that masters count as free");
  blame(verdict.lost, "request lost", "requests lost");
  blame(verdict.turned_away, "player with a valid seat that was turned away",
        "players with a valid seat that were turned away");
  blame(verdict.answered_late, "seat that was answered when its time was over",
        "seats that were answered when their time was over");
  if (verdict.seated == 0 && players > 0) list.emplace_back("nobody got a seat");
  blame(verdict.misplaced, "player in a room of another group",
        "players in a room of another group");
  blame(verdict.wrong_tokens, "player whose token names another player, room or team",
        "players whose tokens name another player, room or team");
  blame(verdict.orphaned_processes, "game that outlived its worker",
        "games that outlived their worker");
  return list;
}

std::vector<std::string> RunResult::warnings() const {
  std::vector<std::string> list;
  if (verdict.came_late > 0) {
    list.push_back(fmt::format("{} {} too late for the seat by client-sim's own lateness",
                               verdict.came_late,
                               verdict.came_late == 1 ? "player was" : "players were"));
  }
  const double own_late = verdict.own_lateness_ms.p99;
  const double match = verdict.match_ms.p99;
  if (verdict.seated > 0 && own_late > own_lateness_share * match) {
    list.push_back(
        fmt::format("client-sim itself was late by {:.0f} ms (p99), {:.0f} % of the p99 of the "
                    "time to match, and adds to it",
                    own_late, 100 * own_late / match));
  }
  return list;
}

std::vector<CurvePoint> polled_curve(const Observation& seen) {
  std::vector<CurvePoint> curve{{.x = 0, .y = 0}};
  for (const auto& sample : seen.samples) {
    curve.push_back({.x = sample.at_ms, .y = static_cast<double>(sample.rooms)});
  }
  return curve;
}

std::vector<double> match_times_of_all(const RunResult& run) {
  auto times = run.verdict.match_times;
  const auto seated = std::min<std::size_t>(run.verdict.seated, run.players);
  times.insert(times.end(), run.players - seated, never);
  return times;
}

Percentiles match_ms_of_all(const RunResult& run) {
  return percentiles(match_times_of_all(run));
}

std::optional<double> collisions_of(const RunResult& run) {
  if (!run.bill) return {};
  return static_cast<double>(run.bill->collisions.size());
}

std::optional<double> wasted_room_seconds_of(const RunResult& run) {
  if (!run.bill) return {};
  return run.bill->wasted_room_seconds;
}

std::optional<Rates> rates_of(const RunResult& run) {
  if (run.arrival != "churn") return {};
  const auto per = [](std::optional<double> count, double of) -> std::optional<double> {
    if (!count || of <= 0) return {};
    return *count / of;
  };
  const double hours = run.load_ms / 3'600'000;
  const double thousands = static_cast<double>(run.verdict.seated) / 1000;
  const auto collisions = collisions_of(run);
  const auto duplicates = static_cast<double>(run.verdict.duplicate_rooms);
  return Rates{.collisions_per_hour = per(collisions, hours),
               .duplicates_per_hour = per(duplicates, hours),
               .collisions_per_1000 = per(collisions, thousands),
               .duplicates_per_1000 = per(duplicates, thousands)};
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

}  // namespace fixkeep::client_sim
