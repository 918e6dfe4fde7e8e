#include "lab/race/options.hpp"

#include <CLI/CLI.hpp>

#include <utility>
#include <variant>

#include "lab/pools/live_rules.hpp"

namespace fixkeep::client_sim {

namespace {

template <class Number>
CLI::Range in(SettingRange<Number> range) {
  return CLI::Range{range.least, range.most};
}

// Empty rooms close after this short time, so that few rooms of a round remain in the next round.
constexpr std::uint32_t close_empty_ms = 1000;
// A node keeps this number of events: enough for many rounds. The race reads the events ten times a
// second.
constexpr std::size_t events_kept = 20'000;
constexpr std::uint32_t rounds_at_once = 2;  // rooms of one round may close during the next round

}  // namespace

void add_race_options(CLI::App& command, RaceOptions& options) {
  auto& cluster = options.cluster;
  cluster.log_level = "warning";  // a race may run for days; logs are read only after faults
  auto& settings = options.settings;
  const auto add = [&command](const char* name, auto& value, const char* text) {
    return command.add_option(name, value, text);
  };
  add("--listen", options.listen, "Address of the page; anyone with access can drive the race")
      ->check(CLI::ValidIPV4);
  add("--port", options.port, "Port of the page");
  add("--against", options.against, "Lock of the left cluster");
  add("--masters", cluster.masters, "Masters of each cluster")->check(CLI::Range(1, 9));
  add("--workers", cluster.workers, "Workers of each cluster")->check(CLI::Range(1, 12));
  add("--groups", options.groups, "Groups of players in a round")->check(CLI::Range(1, 12));
  command
      .add_option("--group-players", options.group_players,
                  "Players of a group (default: the seats of a room)")
      ->check(CLI::Range(1, 32))
      ->default_str("");
  command.add_option("--rules", options.rules_file,
                     "A mode with widening rules, like configs/matching/duel.json: each group of a "
                     "round is a pool");
  add("--capacity", cluster.capacity, "Seats of a room")->check(CLI::Range(1, 32));
  add("--rate", settings.rate, "Players a second")->check(in(rate_range));
  add("--spread-ms", settings.spread_ms, "Time within which the players of a group ask")
      ->check(in(spread_range));
  add("--link-delay-ms", settings.link_delay_ms, "One way between any two nodes")
      ->check(in(link_delay_range));
  add("--boot-ms", settings.boot_ms, "Time that a game process takes to boot")
      ->check(in(boot_range));
  add("--rounds", options.rounds, "Number of rounds (0: run until Ctrl-C)");
  add("--seed", options.seed, "Decides on master and time of each player's request");
  add("--log-level", cluster.log_level, "Log level of masters and workers")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
}

void complete_race_options(RaceOptions& options) {
  auto& cluster = options.cluster;
  if (options.group_players == 0) options.group_players = cluster.capacity;
  options.settings.groups.assign(options.groups, true);
  options.settings.masters.assign(cluster.masters, MasterFate::runs);
  cluster.boot_ms = options.settings.boot_ms;
  cluster.distances.link_ms = options.settings.link_delay_ms;
  cluster.most_link_ms = link_delay_range.most;
  cluster.close_empty_after_ms = close_empty_ms;
  cluster.events_kept = events_kept;
  // In the worst case, one worker has all rooms: one room for each player of two rounds.
  cluster.rooms_a_worker =
      std::min<std::uint32_t>(rounds_at_once * options.groups * options.group_players, 240);
}

std::string complete_race_rules(RaceOptions& options, const CLI::App& command) {
  if (options.rules_file.empty()) return {};
  if (command.count("--capacity") > 0) {
    return "--capacity: the rules decide on rooms; leave it out with --rules";
  }
  auto read = read_live_rules(options.rules_file);
  if (auto* mistake = std::get_if<std::string>(&read)) return std::move(*mistake);
  options.rules = pools_by_region(*std::get<std::shared_ptr<const LiveRules>>(read));
  options.cluster.ruled_mode = options.rules->text;
  options.cluster.capacity = options.rules->rules.size.most;
  // These defaults suit pools: a pool needs more players than one room has seats, and these players
  // should not all arrive together.
  if (command.count("--groups") == 0) options.groups = 3;
  if (command.count("--group-players") == 0) options.group_players = 24;
  if (command.count("--spread-ms") == 0) options.settings.spread_ms = spread_range.most;
  return {};
}

}  // namespace fixkeep::client_sim
