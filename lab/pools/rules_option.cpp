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
                  "A mode with widening rules, like configs/matching/duel.json: its players come "
                  "one by one (poisson) into one pool")
      ->required();
}

std::string complete_rules(Options& options, const std::string& file, const CLI::App& command) {
  for (const char* option : {"--capacity", "--groups", "--zipf", "--warm"}) {
    if (command.count(option) > 0) {
      return std::string{option} + ": the rules decide on rooms; leave it out with --rules";
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

}  // namespace fixkeep::client_sim
