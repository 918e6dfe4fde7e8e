#include "lab/pools/rules_option.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <utility>
#include <variant>

#include "lab/pools/pool_mode.hpp"

namespace fixkeep::client_sim {

void add_rules_option(CLI::App& command, std::string& file) {
  command
      .add_option("--rules", file,
                  "A mode whose rules widen, as configs/matching/duel.json: its players come "
                  "one by one (poisson) and are of one pool")
      ->required();
}

std::string complete_rules(Options& options, const std::string& file, const CLI::App& command) {
  for (const char* option : {"--capacity", "--groups", "--zipf", "--warm"}) {
    if (command.count(option) > 0) {
      return std::string{option} + ": the rules say who shares a room; leave it out with --rules";
    }
  }
  auto read = read_live_rules(file);
  if (auto* mistake = std::get_if<std::string>(&read)) return std::move(*mistake);
  auto mode = std::get<std::shared_ptr<const LiveRules>>(std::move(read));
  options.mode = mode->mode;
  options.cluster.ruled_mode = mode->text;
  options.cluster.capacity = mode->rules.size.most;
  options.workload.groups = 1;
  options.own_mode =
      std::make_shared<const PoolMode>(std::filesystem::path{file}.filename().string(), mode);
  if (command.count("--arrival") == 0) options.arrival.names = "poisson";
  return {};
}

void add_race_rules_option(CLI::App& command, RaceOptions& options) {
  command.add_option("--rules", options.rules_file,
                     "A mode whose rules widen, as configs/matching/duel.json: each group of a "
                     "round is a pool of it");
}

std::string complete_race_rules(RaceOptions& options, const CLI::App& command) {
  if (options.rules_file.empty()) return {};
  if (command.count("--capacity") > 0) {
    return "--capacity: the rules say who shares a room; leave it out with --rules";
  }
  auto read = read_live_rules(options.rules_file);
  if (auto* mistake = std::get_if<std::string>(&read)) return std::move(*mistake);
  options.rules = pools_by_region(*std::get<std::shared_ptr<const LiveRules>>(read));
  options.cluster.ruled_mode = options.rules->text;
  options.cluster.capacity = options.rules->rules.size.most;
  // A pool needs more players than fit one room, and they do not all come at once.
  if (command.count("--groups") == 0) options.groups = 3;
  if (command.count("--group-players") == 0) options.group_players = 24;
  if (command.count("--spread-ms") == 0) options.settings.spread_ms = spread_range.most;
  return {};
}

}  // namespace fixkeep::client_sim
