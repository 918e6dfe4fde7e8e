// Reports of runs that never were (reports.txt): tables, JSON, pictures and the pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <sstream>

#include "client-sim/locks/figures.hpp"
#include "client-sim/locks/report.hpp"
#include "client-sim/report/by_setting.hpp"
#include "client-sim/report/html_report.hpp"
#include "client-sim/report/room_bars.hpp"
#include "client-sim/report/run_pictures.hpp"
#include "client-sim/report/run_tables.hpp"
#include "client-sim/report/stage_report.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::client_sim {
namespace {

using support::Words;

// Room n of group n / 2; every odd one collided with the one before it if `collided`.
Timeline timeline(std::uint64_t rooms, bool collided) {
  Timeline told{.rooms = {}, .curve = {{0, 0}, {12, static_cast<double>(rooms)}}, .end_ms = 1000};
  const auto creation = [](std::uint64_t number) {
    return CreationId{{number, MasterId{1}}, 0, Incarnation{1}};
  };
  for (std::uint64_t number = 0; number < rooms; ++number) {
    told.rooms.push_back({.group = GroupKey{"g" + std::to_string(number / 2)},
                          .creation = creation(number),
                          .master = number % 2 == 0 ? "m1" : "m2",
                          .worker = WorkerId{"w" + std::to_string(number % 6)},
                          .ordered_ms = 10,
                          .starting_ms = 12,
                          .open_ms = 500});
    if (!collided || number % 2 == 0) continue;
    told.rooms.back().collided = true;
    told.rooms.back().other = creation(number - 1);
  }
  return told;
}

RunResult a_run(const std::string& lock) {
  RunResult run;
  run.lock = lock;
  run.masters = 3;
  run.workers = 6;
  run.players = 16;
  run.groups = 1;
  run.capacity = 8;
  run.boot_ms = 500;
  run.arrival = "burst";
  run.seed = 1;
  run.verdict.ideal_rooms = run.verdict.rooms = 2;
  run.verdict.seated = run.verdict.connected = 16;
  run.verdict.match_times = {510, 520, 530};
  run.verdict.fills = {{.group_key = "duel/<g0>", .inside = 8, .capacity = 8},
                       {.group_key = "duel/<g0>", .inside = 8, .capacity = 8}};
  run.curve = {{.x = 0, .y = 0}, {.x = 100, .y = 2}};
  run.load_ms = 600;
  run.lock_stats = {{"acquisitions", 3}};
  return run;
}

LockFigures a_lock(const std::string& name) {
  LockFigures figures;
  figures.lock = name;
  for (const double speed : {1.0, 3.0, 2.0}) {
    figures.uncontended.push_back({.p50_us = 30 * speed,
                                   .p99_us = 60 * speed,
                                   .round_trip_us = 20 * speed,
                                   .round_trip_all_us = 25 * speed,
                                   .messages = 6,
                                   .bytes = 276});
    ContendedRound contended;
    contended.per_second = 12'345 * speed;
    contended.longest_overtaking = static_cast<std::uint64_t>(10 * speed);
    contended.fairness = 1;
    figures.one_key.push_back(contended);
    figures.many_keys.push_back(contended);
  }
  figures.without_holder_ms = {1, 5, 2};
  return figures;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> all;
  std::istringstream in{text};
  for (std::string each; std::getline(in, each, ',');) all.push_back(std::stod(each));
  return all;
}

template <class Texts>
std::string lines(const Texts& texts, const char* between = "\n") {
  std::string all;
  for (const auto& each : texts) all += (all.empty() ? "" : between) + std::string{each};
  return all;
}

// Lines of no more than a hundred characters, where a text has commas or blanks.
std::string wrapped(std::string text) {
  std::size_t begin = 0;
  while (text.size() - begin > 98) {
    const auto at = text.find_last_of(", ", begin + 97);
    if (at == std::string::npos || at <= begin) break;
    if (text[at] == ',') text.insert(at + 1, " ");
    begin = at + (text[at] == ',' ? 2 : 1);
    text[begin - 1] = '\n';
  }
  return text;
}

std::string count_of(std::string_view text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return std::to_string(found);
}

// Without a row its headings; or of that row what stands under some of them.
std::string of_table(const Table& table, Words words) {
  if (words.done()) return wrapped(lines(table.front(), "; "));
  const auto& row = table.at(std::stoul(words.next()));
  std::istringstream wanted{words.rest()};
  std::string text;
  for (std::string heading; std::getline(wanted, heading, ';');) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (table.front()[column] == heading) text += (text.empty() ? "" : "; ") + row[column];
    }
  }
  return text;
}

// run LOCK FIGURE=VALUE…    one more run, or what else is set of the latest one ("more …")
// lock NAME FIGURE=VALUE…   the figures of a lock
class Reports : public support::ScriptDriver {
 public:
  std::string run(std::string_view line) override {
    Words words{line};
    const auto what = words.next();
    if (what == "run" || what == "more") {
      if (what == "run") runs_.push_back(a_run(words.next()));
      while (!words.done()) set(runs_.back(), words.next());
      return {};
    }
    if (what == "lock") {
      locks_.push_back(a_lock(words.next()));
      while (!words.done()) set(locks_.back(), words.next());
      return {};
    }
    if (what == "runs") return of_table(runs_table(runs_), words);
    if (what == "seeds") return of_table(seeds_table(runs_), words);
    if (what == "rates") return of_table(rates_table(runs_), words);
    if (what == "stages") return of_table(stages_table(runs_), words);
    const auto groups = by_setting(runs_);
    if (what == "runs-by-setting") return of_table(table_by_setting(groups, runs_table), words);
    if (what == "seeds-by-setting") return of_table(table_by_setting(groups, seeds_table), words);
    if (what == "costs") return of_table(lock_cost_table(locks_), words);
    if (what == "contention") return of_table(lock_contention_table(locks_), words);
    if (what == "failures") return of_table(lock_failure_table(locks_, runs_), words);
    if (what == "faults") return lines(runs_.back().faults());
    if (what == "warnings") return lines(runs_.back().warnings());
    if (what == "lock-faults") return lines(faults_of(locks_.back()));
    if (what == "json") return json(nlohmann::json::parse(to_json(runs_)), words.rest());
    if (what == "lock-json")
      return json(nlohmann::json::parse(to_json(locks_, runs_)), words.rest());
    const ReportHeader header{.command_line = "compare --x \"<&>\"", .machine = "m", .when = "w"};
    if (what == "page") return count_of(html_report(runs_, header), words.rest());
    if (what == "lock-page") {
      return count_of(locks_report(locks_, runs_, Options{}, header), words.rest());
    }
    if (what == "page-order") return page_order(html_report(runs_, header), words.rest());
    if (what == "settings") return settings(groups);
    if (what == "needs") return needs();
    if (what == "bars") return bars(std::stoul(words.next()));
    const std::map<std::string, std::function<std::vector<Picture>()>> all{
        {"all-pictures", [&] { return all_pictures(runs_); }},
        {"pictures", [&] { return pictures_of(runs_, ""); }},
        {"over-distance", [&] { return pictures_over_distance(groups); }},
        {"of-stages", [&] { return pictures_of_stages(groups); }},
        {"lock-pictures", [&] { return locks_pictures(locks_, runs_); }}};
    return all.contains(what) ? pictures(all.at(what)(), words) : "no such command";
  }

 private:
  static void set(RunResult& run, const std::string& word) {
    const auto name = word.substr(0, word.find('='));
    const auto value = word.substr(word.find('=') + 1);
    const std::map<std::string, std::uint64_t*> counts{
        {"seed", &run.seed},
        {"rooms", &run.verdict.rooms},
        {"duplicates", &run.verdict.duplicate_rooms},
        {"seated", &run.verdict.seated},
        {"turned-away", &run.verdict.turned_away},
        {"answered-late", &run.verdict.answered_late},
        {"came-late", &run.verdict.came_late},
        {"dropped", &run.verdict.dropped},
        {"overbooked", &run.verdict.overbooked_seats},
        {"leaked", &run.verdict.leaked_seats},
        {"lost", &run.verdict.lost}};
    if (counts.contains(name)) *counts.at(name) = std::stoull(value);
    if (name == "arrival") run.arrival = value;
    if (name == "runner") run.runner = value;
    if (name == "times") run.verdict.match_times = numbers(value);
    run.verdict.match_ms = percentiles(run.verdict.match_times);
    if (name == "load") run.load_ms = std::stod(value);
    if (name == "boot") run.boot_ms = std::stoi(value);
    if (name == "own-late") run.verdict.own_lateness_ms.p99 = std::stod(value);
    if (name == "bill") {  // collisions and wasted room-seconds
      const auto bill = numbers(value);
      run.bill =
          CollisionBill{.collisions = std::vector<Collision>(static_cast<std::size_t>(bill[0])),
                        .orders = 9,
                        .wasted_room_seconds = bill[1],
                        .wasted_seat_seconds = 8 * bill[1]};
    }
    if (name == "told") {  // rooms, and whether each second one collided
      const auto rooms = numbers(value);
      auto told = std::make_shared<Told>();
      told->timeline = timeline(static_cast<std::uint64_t>(rooms[0]), rooms[1] != 0);
      if (rooms[1] != 0) told->first_collision = CollisionStory{.group = "g0", .nodes = {"m1"}};
      run.curve = told->timeline.curve;
      run.told = std::move(told);
    }
    if (name == "stages") {  // matches, and the lock's part
      const auto stages = numbers(value);
      auto told = std::make_shared<Told>();
      told->stages.matches = static_cast<std::uint64_t>(stages[0]);
      told->stages.ms = {0, 0, stages[1], 0, 0, 500, 0};
      run.told = std::move(told);
    }
    set_distance(run, name, value);
  }

  static void set_distance(RunResult& run, const std::string& name, const std::string& value) {
    constexpr std::array<std::string_view, 6> distances{"link",   "master", "worker",
                                                        "jitter", "loss",   "zones"};
    if (std::find(distances.begin(), distances.end(), name) == distances.end()) return;
    if (!run.distances) run.distances.emplace();
    if (name == "link") run.distances->link_ms = std::stod(value);
    if (name == "master") run.distances->master_ms = std::stod(value);
    if (name == "worker") run.distances->worker_ms = std::stod(value);
    if (name == "jitter") run.distances->jitter_ms = std::stod(value);
    if (name == "loss") run.distances->loss_percent = std::stod(value);
    if (name == "zones") run.distances->zones = {.text = value, .names = {}, .one_way_ms = {{0}}};
  }

  static void set(LockFigures& lock, const std::string& word) {
    const auto name = word.substr(0, word.find('='));
    const auto value = static_cast<std::uint64_t>(std::stoull(word.substr(word.find('=') + 1)));
    if (name == "double-holders") lock.one_key[0].double_holders = value;
    if (name == "tokens-fell") lock.many_keys[0].tokens_fell = value;
    if (name == "before-kill") lock.granted_before_kill = value;
    if (name == "never") lock.never_granted = value;
    if (name == "without-holder")
      lock.without_holder_ms.assign(value == 0 ? 0 : 1, static_cast<double>(value));
    if (name == "rounds" && value == 0) lock = {.lock = lock.lock};
  }

  static std::string json(const nlohmann::json& document, const std::string& pointers) {
    Words words{pointers};
    std::string text;
    while (!words.done()) {
      const nlohmann::json::json_pointer at{words.next()};
      text +=
          (text.empty() ? "" : " ") + (document.contains(at) ? document.at(at).dump() : "absent");
    }
    return wrapped(text);
  }

  static std::string page_order(const std::string& page, const std::string& parts) {
    const auto split = parts.find("; ");
    return page.find(parts.substr(0, split)) < page.find(parts.substr(split + 2)) ? "yes" : "no";
  }

  static std::string settings(const std::vector<SettingGroup>& groups) {
    std::string text = has_repeated_runs(groups) ? "repeated" : "each once";
    for (const auto& group : groups) {
      text += "\n" + title_of(group, groups) + ":";
      for (const auto& run : group.runs) text += " " + run.lock + "/" + std::to_string(run.seed);
    }
    return text;
  }

  std::string needs() {
    std::string text;
    for (const auto& run : runs_) {
      const auto needed = needed_ms(run);
      text += (text.empty() ? "" : " ") + (needed ? format_whole(*needed) : "?");
    }
    return text;
  }

  std::string bars(std::size_t most) {
    const auto& told = runs_.back().told->timeline;
    const auto chosen = choose_rooms(told, most);
    std::string text = std::to_string(chosen.left_out) + " left out, of which " +
                       std::to_string(chosen.collided_left_out) + " collided:";
    for (const auto* room : chosen.rooms) text += " " + room->group.text();
    return text;
  }

  // Their names, or how often a text is in the drawings and words of one.
  static std::string pictures(const std::vector<Picture>& all, Words words) {
    std::string text;
    const auto name = words.next();
    for (const auto& picture : all) {
      if (name.empty()) {
        text += (text.empty() ? "" : " ") + picture.name + "*" +
                std::to_string(picture.cells.size()) + (picture.folded ? "-folded" : "");
      }
      if (name.empty() || picture.name != name) continue;
      std::string drawn = picture.words;
      for (const auto& cell : picture.cells) drawn += cell.drawing.svg;
      return count_of(drawn, words.rest());
    }
    return text.empty() ? "none" : wrapped(text);
  }

  std::vector<RunResult> runs_;
  std::vector<LockFigures> locks_;
};

const bool reports = support::register_scripts("tests/unit/client-sim/report/reports.txt",
                                               [] { return std::make_unique<Reports>(); });

TEST(Tables, of_one_machine_stay_as_they_are) {
  const std::vector<RunResult> here{a_run("none"), a_run("x")};
  EXPECT_EQ(table_by_setting(by_setting(here), runs_table), runs_table(here));
}

TEST(Tables, are_aligned_by_characters_and_can_be_taken_apart_at_two_spaces) {
  EXPECT_EQ(to_text({{"a", "größe"}, {"long", "1"}}), "a     größe\n----  -----\nlong      1\n");
  for (const auto& row : runs_table({a_run("none")})) {
    for (const auto& each : row) EXPECT_EQ(each.find("  "), std::string::npos) << each;
  }
}

TEST(LockFigures, are_medians_over_the_rounds_and_ratios_of_the_same_round) {
  const auto summary = summarise(a_lock("x"));
  EXPECT_EQ(summary.uncontended->p50_us, 60);
  EXPECT_EQ(*summary.ratio, 1.5);
  EXPECT_DOUBLE_EQ(*summary.ratio_all, 1.2);
  EXPECT_EQ(summary.one_key->longest_overtaking, 30U) << "the worst, not the median";
}

}  // namespace
}  // namespace fixkeep::client_sim
