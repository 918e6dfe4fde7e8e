#include "client-sim/report/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "client-sim/report/by_setting.hpp"
#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/lock_style.hpp"
#include "client-sim/report/run_pictures.hpp"
#include "client-sim/report/run_tables.hpp"
#include "client-sim/report/stage_report.hpp"
#include "client-sim/report/template.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t most_listed_runs = 120;
constexpr std::size_t most_listed_faults = 40;

// Says in words what a lock did wrong that is not a duplicate; empty if nothing.
std::string failures_of(const std::vector<const RunResult*>& runs) {
  std::uint64_t without_seat = 0;
  std::uint64_t dropped = 0;
  std::uint64_t overbooked = 0;
  std::uint64_t turned_away = 0;
  std::uint64_t answered_late = 0;
  for (const auto* run : runs) {
    without_seat += run->players - std::min<std::uint64_t>(run->verdict.seated, run->players);
    dropped += run->verdict.dropped;
    overbooked += run->verdict.overbooked_seats;
    turned_away += run->verdict.turned_away;
    answered_late += run->verdict.answered_late;
  }
  std::string text;
  const auto add = [&text](std::uint64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(without_seat, "players got no seat");
  add(turned_away, "turned away with a valid seat");
  add(answered_late, "seats answered too late");
  add(dropped, "dropped");
  add(overbooked, "seats over capacity");
  return text;
}

nlohmann::json card_of(const std::string& lock, const std::vector<const RunResult*>& runs) {
  std::vector<double> duplicates;
  std::vector<double> collisions;
  std::vector<double> rooms;
  std::vector<double> needed;
  std::vector<double> p99;
  for (const auto* run : runs) {
    duplicates.push_back(static_cast<double>(run->verdict.duplicate_rooms));
    rooms.push_back(static_cast<double>(run->verdict.rooms));
    needed.push_back(static_cast<double>(run->verdict.ideal_rooms));
    p99.push_back(match_ms_of_all(*run).p99);
    if (const auto count = collisions_of(*run)) collisions.push_back(*count);
  }
  const auto made_twice = spread(std::move(duplicates));
  const auto slowest = spread(std::move(p99)).median;
  nlohmann::json card{
      {"style", style_of(lock)},
      {"lock", lock},
      {"verdict", made_twice.max > 0 ? "bad" : "good"},
      {"duplicates", format_span(made_twice, format_whole)},
      {"seeds", nullptr},
      {"collisions",
       collisions.empty() ? "not known" : format_span(spread(std::move(collisions)), format_whole)},
      {"rooms", format_span(spread(std::move(rooms)), format_whole)},
      {"needed", format_span(spread(std::move(needed)), format_whole)},
      {"failed", nullptr},
      {"p99", slowest == never ? "never" : format_ms(slowest) + " ms"}};
  if (runs.size() > 1) card["seeds"] = runs.size();
  if (auto failed = failures_of(runs); !failed.empty()) card["failed"] = std::move(failed);
  return card;
}

// Says what runs are blamed for, and which.
std::vector<std::string> faults_of(const std::vector<SettingGroup>& groups) {
  std::vector<std::string> faults;
  for (const auto& group : groups) {
    const auto title = title_of(group, groups);
    for (const auto& run : group.runs) {
      const auto name =
          fmt::format("{}, seed {}{}{}: ", run.lock, run.seed, title.empty() ? "" : ", ", title);
      for (const auto& fault : run.faults()) faults.push_back(name + fault);
      for (const auto& warning : run.warnings()) faults.push_back(name + "warning: " + warning);
      for (const auto& complaint : run.complaints) faults.push_back(name + complaint);
    }
  }
  if (faults.size() > most_listed_faults) {
    const auto more = faults.size() - most_listed_faults;
    faults.resize(most_listed_faults);
    faults.push_back(fmt::format("and {} more", more));
  }
  return faults;
}

Facts facts_of(const RunResult& run, const std::string& arrivals) {
  Facts facts{{"masters", std::to_string(run.masters)},
              {"workers", std::to_string(run.workers)},
              {"players", std::to_string(run.players)},
              {"groups", std::to_string(run.groups)},
              {"seats of a room", std::to_string(run.capacity)}};
  if (run.boot_ms >= 0) facts.emplace_back("boot of a game", fmt::format("{} ms", run.boot_ms));
  if (is_contained(run)) facts.emplace_back("runner of rooms", run.runner);
  const auto add_fault = [&facts](const char* fault, std::uint32_t lasted) {
    if (lasted > 0) facts.emplace_back(fault, fmt::format("{} ms", lasted));
  };
  add_fault("one worker stopped for", run.nodes_failed.stop_worker_ms);
  add_fault("one master stopped for", run.nodes_failed.stop_master_ms);
  add_fault("one master killed for", run.nodes_failed.kill_master_ms);
  add_fault("one master cut off for", run.nodes_failed.cut_master_ms);
  facts.emplace_back("arrival", arrivals);
  facts.emplace_back("first seed", std::to_string(run.seed));
  return facts;
}

// "burst, churn".
std::string arrivals_of(const std::vector<SettingGroup>& groups) {
  std::string names;
  std::set<std::string> seen;
  for (const auto& group : groups) {
    if (seen.insert(group.arrival).second) names += (names.empty() ? "" : ", ") + group.arrival;
  }
  return names;
}

// The end of the name of a file: "burst, 20 ms one way" becomes "-burst-20-ms-one-way".
std::string suffix_of(const std::string& title) {
  std::string suffix;
  bool apart = true;
  for (const char c : title) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    if (plain && apart) suffix += '-';
    if (plain) suffix += c;
    apart = !plain;
  }
  return suffix;
}

// Cards and pictures of the runs in one setting. `title` is empty if there is only one.
nlohmann::json values_at(const SettingGroup& group, const std::string& title) {
  auto cards = nlohmann::json::array();
  for (const auto& lock : strategies(group.runs)) {
    cards.push_back(card_of(lock, runs_of(group.runs, lock)));
  }
  std::string pictures;
  for (const auto& picture : pictures_of(group.runs, {})) pictures += picture_html(picture);
  nlohmann::json heading;
  if (!title.empty()) heading = {{"title", title}};
  return {{"heading", std::move(heading)},
          {"body", fill_template(at_setting_template(),
                                 {{"cards", std::move(cards)}, {"pictures", pictures}})}};
}

// Why events are missing, of the first run that misses some; null if none does.
nlohmann::json missing_events(const std::vector<RunResult>& runs) {
  for (const auto& run : runs) {
    if (!run.events_missing.empty()) return run.events_missing;
  }
  return nullptr;
}

}  // namespace

std::string html_report(const std::vector<RunResult>& runs, const ReportHeader& header) {
  const std::string title = "Rooms made under load";
  if (runs.empty()) return page_html(title, "<p>No run was finished.</p>", {}, header);
  const auto& first = runs.front();
  const auto groups = by_setting(runs);
  const auto arrivals = arrivals_of(groups);
  auto settings = nlohmann::json::array();
  for (const auto& group : groups) settings.push_back(values_at(group, title_of(group, groups)));
  std::string over_distance;
  for (const auto& picture : pictures_over_distance(groups)) over_distance += picture_html(picture);
  for (const auto& picture : pictures_of_stages(groups)) over_distance += picture_html(picture);
  auto facts = facts_of(first, arrivals);
  const auto more_facts = distance_facts(runs);
  facts.insert(facts.end(), more_facts.begin(), more_facts.end());
  auto listed = table_by_setting(groups, runs_table);
  const bool cut = runs.size() > most_listed_runs;
  if (cut) listed.resize(most_listed_runs + 1);
  const auto rates = table_by_setting(groups, rates_table);
  const auto faults = faults_of(groups);
  nlohmann::json values{{"players", first.players},
                        {"groups", first.groups},
                        {"masters", first.masters},
                        {"arrivals", arrivals},
                        {"seats", first.capacity},
                        {"has_faults", !faults.empty()},
                        {"faults", faults},
                        {"events_missing", missing_events(runs)},
                        {"over_distance", over_distance},
                        {"settings", std::move(settings)},
                        {"over_seeds", nullptr},
                        {"rates", nullptr},
                        {"runs", table_html(listed)},
                        {"cut", cut},
                        {"listed", most_listed_runs},
                        {"all", runs.size()}};
  if (has_repeated_runs(groups)) {
    values["over_seeds"] = table_html(table_by_setting(groups, seeds_table));
  }
  if (rates.size() > 1) values["rates"] = table_html(rates);
  return page_html(title, fill_template(rooms_template(), values), facts, header);
}

std::vector<Picture> all_pictures(const std::vector<RunResult>& runs) {
  const auto groups = by_setting(runs);
  auto pictures = pictures_over_distance(groups);
  for (auto& picture : pictures_of_stages(groups)) pictures.push_back(std::move(picture));
  for (const auto& group : groups) {
    const auto title = title_of(group, groups);
    for (auto& picture : pictures_of(group.runs, suffix_of(title))) {
      if (!title.empty()) picture.title += ", " + title;
      pictures.push_back(std::move(picture));
    }
  }
  return pictures;
}

}  // namespace fixkeep::client_sim
