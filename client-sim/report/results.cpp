#include "client-sim/report/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "client-sim/report/by_setting.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::ordered_json;

// More than this share of the time to match may not be client-sim's own, each at its p99.
constexpr double own_lateness_share = 0.1;

double rounded(double value) {  // to three places
  return std::round(value * 1000) / 1000;
}

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(rounded(*value)) : ordered_json{};
}

// Null unless players came and went, and those of collisions if events are missing.
void add_rates(ordered_json& object, const RunResult& run) {
  const auto rates = rates_of(run).value_or(Rates{});
  object["load_ms"] = rounded(run.load_ms);
  object["collisions_per_hour"] = or_null(rates.collisions_per_hour);
  object["duplicates_per_hour"] = or_null(rates.duplicates_per_hour);
  object["collisions_per_1000_matches"] = or_null(rates.collisions_per_1000);
  object["duplicates_per_1000_matches"] = or_null(rates.duplicates_per_1000);
}

// Means; null if events are missing.
ordered_json stages_of(const RunResult& run) {
  if (!run.told) return {};
  ordered_json object = ordered_json::object();
  for (std::size_t stage = 0; stage < stage_count; ++stage) {
    object[std::string{stage_names.at(stage)}] = rounded(run.told->stages.ms.at(stage));
  }
  return object;
}

ordered_json percentiles_of(const Percentiles& times) {
  return {{"p50", rounded(times.p50)},
          {"p90", rounded(times.p90)},
          {"p99", rounded(times.p99)},
          {"max", rounded(times.max)}};
}

// Null unless the rules of the mode widen.
ordered_json pool_of(const RunResult& run) {
  if (!run.pool) return {};
  ordered_json object = {{"spread", percentiles_of(percentiles(run.pool->spreads))}};
  if (const auto& bill = run.pool->bill) {
    object["decisions"] = bill->decisions;
    object["fills"] = bill->fills;
    object["orders"] = bill->orders;
    object["refused_orders"] = bill->refused;
    object["too_wide"] = bill->too_wide;
    object["needless"] = bill->needless;
    object["loose"] = bill->loose;
    object["seated_twice"] = bill->seated_twice;
    object["words"] = bill->words;
  }
  return object;
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
      {"wasted_room_seconds", or_null(wasted_room_seconds_of(run))},
      {"wasted_seat_seconds",
       run.bill ? ordered_json(rounded(run.bill->wasted_seat_seconds)) : ordered_json{}},
      {"seated", verdict.seated},
      {"connected", verdict.connected},
      {"errors", verdict.errors},
      {"overbooked_seats", verdict.overbooked_seats},
      {"leaked_seats", verdict.leaked_seats},
      {"match_ms", percentiles_of(verdict.match_ms)},
      {"lock_stats", run.lock_stats},
      {"boot_ms", run.boot_ms < 0 ? ordered_json{} : ordered_json(run.boot_ms)},
      {"runner", run.runner.empty() ? ordered_json{} : ordered_json(run.runner)},
      {"retries", verdict.retries},
      {"lost", verdict.lost},
      {"refused", verdict.refused},
      {"turned_away", verdict.turned_away},
      {"answered_late", verdict.answered_late},
      {"came_late", verdict.came_late},
      {"unreachable", verdict.unreachable},
      {"dropped", verdict.dropped},
      {"misplaced", verdict.misplaced},
      {"uncounted_seats", verdict.uncounted_seats},
      {"orphaned_processes", verdict.orphaned_processes},
      {"masters_silent", verdict.masters_silent},
      {"mean_fill", std::round(verdict.mean_fill * 10'000) / 10'000},
      {"reasons", verdict.reasons},
      {"complaints", run.complaints},
      {"idle_connections", run.idle_connections},
      {"stopped_worker_ms", run.nodes_failed.stop_worker_ms},
      {"stopped_master_ms", run.nodes_failed.stop_master_ms},
      {"killed_master_ms", run.nodes_failed.kill_master_ms},
      {"cut_master_ms", run.nodes_failed.cut_master_ms},
      {"own_lateness_ms", percentiles_of(verdict.own_lateness_ms)},
      {"faults", run.faults()},
      {"warnings", run.warnings()},
  };
  add_distances(object, run);
  add_rates(object, run);
  object["stages_ms"] = stages_of(run);
  object["pool"] = pool_of(run);
  return object;
}

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
  if (pool && pool->bill) {
    const PoolBill& found = *pool->bill;
    if (promises_no_duplicates(lock)) {
      blame(found.unjustified(), "room that need not have been made",
            "rooms that need not have been made");
    }
    blame(found.too_wide, "decision beyond the limits", "decisions beyond the limits");
    blame(found.seated_twice, "player with seats in two rooms", "players with seats in two rooms");
  }
  blame(verdict.overbooked_seats, "seat over capacity", "seats over capacity");
  blame(verdict.leaked_seats, "leaked seat", "leaked seats");
  blame(verdict.uncounted_seats, "player whose seat the masters believe free",
        "players whose seat the masters believe free");
  blame(verdict.lost, "request lost", "requests lost");
  blame(verdict.turned_away, "player with a valid seat that was turned away",
        "players with a valid seat that were turned away");
  blame(verdict.answered_late, "seat that was answered when its time was over",
        "seats that were answered when their time was over");
  if (verdict.seated == 0 && players > 0) list.emplace_back("nobody got a seat");
  blame(verdict.misplaced, "player in a room of another group",
        "players in a room of another group");
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
  const double own = verdict.own_lateness_ms.p99;
  const double match = verdict.match_ms.p99;
  if (verdict.seated > 0 && own > own_lateness_share * match) {
    list.push_back(fmt::format(
        "client-sim itself was late by {:.0f} ms (p99), {:.0f} % of the p99 of the time "
        "to match: a part of that is its own",
        own, 100 * own / match));
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

}  // namespace fixkeep::client_sim
