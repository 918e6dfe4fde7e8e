#include "client-sim/report/run_json.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "client-sim/report/by_setting.hpp"
#include "client-sim/report/stage_table.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_points = 400;
constexpr std::size_t most_fills = 200;

double rounded(double value) {  // rounds to three places
  return std::round(value * 1000) / 1000;
}

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(rounded(*value)) : ordered_json{};
}

// Adds the rates. If the run was not a churn, all rates are null. If events are missing, the rates
// of collisions are null.
void add_rates(ordered_json& object, const RunResult& run) {
  const auto rates = rates_of(run).value_or(Rates{});
  object["load_ms"] = rounded(run.load_ms);
  object["collisions_per_hour"] = or_null(rates.collisions_per_hour);
  object["duplicates_per_hour"] = or_null(rates.duplicates_per_hour);
  object["collisions_per_1000_matches"] = or_null(rates.collisions_per_1000);
  object["duplicates_per_1000_matches"] = or_null(rates.duplicates_per_1000);
}

// Mean of each stage; null if events are missing.
ordered_json stages_of(const RunResult& run) {
  if (!run.told) return {};
  ordered_json object = ordered_json::object();
  for (std::size_t stage = 0; stage < stage_count; ++stage) {
    object[std::string{stage_names.at(stage)}] = rounded(run.told->stages.ms.at(stage));
  }
  return object;
}

// A long curve is reduced to evenly spaced points.
ordered_json curve_json(const std::vector<CurvePoint>& curve) {
  auto points = ordered_json::array();
  const std::size_t step = std::max<std::size_t>(1, (curve.size() + most_points - 1) / most_points);
  for (std::size_t index = 0; index < curve.size(); index += step) {
    points.push_back({rounded(curve[index].x), curve[index].y});
  }
  if (!curve.empty() && (curve.size() - 1) % step != 0) {
    points.push_back({rounded(curve.back().x), curve.back().y});
  }
  return points;
}

// For each room: [group, most players at one time, seats].
ordered_json fills_json(const std::vector<RoomFill>& fills) {
  auto list = ordered_json::array();
  for (const auto& fill : fills) {
    if (list.size() == most_fills) break;
    list.push_back({fill.group_key, fill.inside, fill.capacity});
  }
  return list;
}

ordered_json moment(double ms) {
  return std::isinf(ms) ? ordered_json{} : ordered_json(rounded(ms));
}

ordered_json timeline_json(const Timeline& timeline) {
  const auto chosen = choose_rooms(timeline, most_told_rooms);
  auto rooms = ordered_json::array();
  for (const auto* room : chosen.rooms) {
    rooms.push_back({{"group", room->group.text()},
                     {"master", room->master},
                     {"worker", room->worker.text()},
                     {"ordered_ms", moment(room->ordered_ms)},
                     {"starting_ms", moment(room->starting_ms)},
                     {"open_ms", moment(room->open_ms)},
                     {"closed_ms", moment(room->closed_ms)},
                     {"collided", room->collided}});
  }
  return {{"end_ms", rounded(timeline.end_ms)},
          {"left_out", chosen.left_out},
          {"collided_left_out", chosen.collided_left_out},
          {"rooms", std::move(rooms)}};
}

ordered_json story_json(const CollisionStory& story) {
  auto steps = ordered_json::array();
  for (const auto& step : story.steps) {
    steps.push_back({{"at", rounded(step.at_ms)},
                     {"from", step.from},
                     {"to", step.to},
                     {"text", step.text},
                     {"bad", step.bad}});
  }
  return {{"group", story.group},
          {"left_out", story.left_out},
          {"nodes", story.nodes},
          {"steps", std::move(steps)}};
}

// Adds the keys link_delay_ms, master_delay_ms, worker_delay_ms, jitter_ms, loss_percent, zones.
// All are null for a cluster that was running already. With zones, a delay is null, unless an
// option replaces the zones for these links. Without zones, `zones` is null.
void add_distances(ordered_json& object, const RunResult& run) {
  for (const auto* key : {"link_delay_ms", "master_delay_ms", "worker_delay_ms", "jitter_ms",
                          "loss_percent", "zones"}) {
    object[key] = nullptr;
  }
  if (!run.distances) return;
  const auto& distances = *run.distances;
  const bool zones = !distances.zones.text.empty();
  if (zones) {
    object["zones"] = distances.zones.text;
  } else {
    object["link_delay_ms"] = distances.link_ms;
    object["master_delay_ms"] = distances.link_ms;
    object["worker_delay_ms"] = distances.link_ms;
  }
  if (distances.master_ms) object["master_delay_ms"] = *distances.master_ms;
  if (distances.worker_ms) object["worker_delay_ms"] = *distances.worker_ms;
  object["jitter_ms"] = distances.jitter_ms;
  object["loss_percent"] = distances.loss_percent;
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
      {"match_ms", percentiles_json(verdict.match_ms)},
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
      {"wrong_tokens", verdict.wrong_tokens},
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
      {"own_lateness_ms", percentiles_json(verdict.own_lateness_ms)},
      {"faults", run.faults()},
      {"warnings", run.warnings()},
  };
  add_distances(object, run);
  add_rates(object, run);
  object["stages_ms"] = stages_of(run);
  object["needed_ms"] = or_null(needed_ms(run));
  object["one_way"] = run.distances ? label(*run.distances) : std::string{};
  object["events_missing"] = run.events_missing;
  object["pool"] = run.own ? run.own->to_json() : ordered_json{};
  object["match_times_ms"] = quantiles_json(verdict.match_times);
  object["curve"] = curve_json(run.curve);
  object["fills"] = fills_json(verdict.fills);
  return object;
}

// Returns the runs whose rooms are shown. For each lock in each setting, this is the first run with
// colliding orders, otherwise the first run with complete events.
std::set<const Told*> telling_runs(const std::vector<RunResult>& runs) {
  std::set<const Told*> telling;
  for (const auto& group : by_setting(runs)) {
    for (const auto& lock : strategies(group.runs)) {
      const RunResult* chosen = nullptr;
      for (const auto* run : runs_of(group.runs, lock)) {
        if (run->told == nullptr) continue;
        if (chosen == nullptr) chosen = run;
        if (!run->told->first_collision) continue;
        chosen = run;
        break;
      }
      if (chosen != nullptr) telling.insert(chosen->told.get());
    }
  }
  return telling;
}

double order_time(const RoomLife& room) {
  return std::min(room.ordered_ms, room.starting_ms);
}

}  // namespace

ChosenRooms choose_rooms(const Timeline& timeline, std::size_t most) {
  std::set<std::pair<GroupKey, CreationId>> wanted;
  for (const auto& room : timeline.rooms) {
    if (!room.collided || wanted.size() >= most) continue;
    wanted.insert({room.group, room.creation});
    if (room.other && wanted.size() < most) wanted.insert({room.group, *room.other});
  }
  for (const auto& room : timeline.rooms) {
    if (wanted.size() < most) wanted.insert({room.group, room.creation});
  }
  ChosenRooms chosen;
  for (const auto& room : timeline.rooms) {
    if (wanted.contains({room.group, room.creation})) {
      chosen.rooms.push_back(&room);
    } else {
      ++chosen.left_out;
      chosen.collided_left_out += room.collided ? 1 : 0;
    }
  }
  std::stable_sort(chosen.rooms.begin(), chosen.rooms.end(),
                   [](const RoomLife* one, const RoomLife* other) {
                     return std::tuple{one->group, order_time(*one)} <
                            std::tuple{other->group, order_time(*other)};
                   });
  return chosen;
}

ordered_json report_origin(const std::string& command_line) {
  utsname system{};
  ::uname(&system);
  return {{"schema", 1},
          {"command", command_line},
          {"machine", fmt::format("{} processors, {} {}", std::thread::hardware_concurrency(),
                                  system.sysname, system.release)},
          {"when", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))}};
}

ordered_json quantiles_json(std::vector<double> values, std::size_t most) {
  std::sort(values.begin(), values.end());
  auto list = ordered_json::array();
  const std::size_t count = std::min(values.size(), most);
  for (std::size_t index = 1; index <= count; ++index) {
    list.push_back(rounded(values[index * values.size() / count - 1]));
  }
  return list;
}

ordered_json percentiles_json(const Percentiles& times) {
  return {{"p50", rounded(times.p50)},
          {"p90", rounded(times.p90)},
          {"p99", rounded(times.p99)},
          {"max", rounded(times.max)}};
}

std::string runs_json(const std::vector<RunResult>& runs) {
  const auto telling = telling_runs(runs);
  std::string text = "[";
  for (std::size_t index = 0; index < runs.size(); ++index) {
    const auto& run = runs[index];
    auto object = to_object(run);
    if (telling.contains(run.told.get())) {
      object["timeline"] = timeline_json(run.told->timeline);
      const auto& story = run.told->first_collision;
      object["first_collision"] = story ? story_json(*story) : ordered_json{};
    }
    text += index == 0 ? "\n" : ",\n";
    text += object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  return text + "\n]";
}

std::string to_json(const ordered_json& origin, const std::vector<RunResult>& runs) {
  auto text = origin.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.pop_back();
  return text + ",\n\"runs\":" + runs_json(runs) + "}\n";
}

}  // namespace fixkeep::client_sim
