// Reports of runs that never were (reports.txt): tables, JSON, and the page around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "client-sim/options.hpp"
#include "client-sim/report/by_setting.hpp"
#include "client-sim/report/page/page.hpp"
#include "client-sim/report/run_json.hpp"
#include "client-sim/report/run_tables.hpp"
#include "client-sim/report/stage_table.hpp"
#include "tests/support/report_texts.hpp"
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

std::vector<double> numbers(const std::string& text) {
  std::vector<double> all;
  std::istringstream in{text};
  for (std::string each; std::getline(in, each, ',');) all.push_back(std::stod(each));
  return all;
}

std::string count_of(std::string_view text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return std::to_string(found);
}

// run LOCK FIGURE=VALUE…    one more run, or what else is set of the latest one ("more …")
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
    if (what == "runs") return support::of_table(runs_table(runs_), words);
    if (what == "seeds") return support::of_table(seeds_table(runs_), words);
    if (what == "rates") return support::of_table(rates_table(runs_), words);
    if (what == "stages") return support::of_table(stages_table(runs_), words);
    const auto groups = by_setting(runs_);
    if (what == "runs-by-setting")
      return support::of_table(table_by_setting(groups, runs_table), words);
    if (what == "seeds-by-setting")
      return support::of_table(table_by_setting(groups, seeds_table), words);
    if (what == "faults") return support::lines(runs_.back().faults());
    if (what == "warnings") return support::lines(runs_.back().warnings());
    if (what == "json")
      return support::at_pointers(nlohmann::json::parse(to_json(report_origin("compare"), runs_)),
                                  words.rest());
    if (what == "page") {
      return count_of(report_page(to_json(report_origin("compare --x \"<&>\""), runs_)),
                      words.rest());
    }
    if (what == "settings") return settings(groups);
    if (what == "needs") return needs();
    if (what == "bars") return bars(std::stoul(words.next()));
    return "no such command";
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

  std::vector<RunResult> runs_;
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

TEST(Page, has_a_colour_and_a_dash_for_each_lock) {
  const auto page = report_page("{}");
  const auto begin = page.find("const styled_locks = [");
  ASSERT_NE(begin, std::string::npos);
  const auto list = page.substr(begin, page.find("];", begin) - begin);
  for (const auto& lock : known_locks()) {
    EXPECT_NE(list.find("'" + lock + "'"), std::string::npos) << lock;
  }
}

}  // namespace
}  // namespace fixkeep::client_sim
