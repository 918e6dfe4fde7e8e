#include "lab/pools/live_rules.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/random.hpp"
#include "common/config/document.hpp"
#include "master/modes/rules_file.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::client_sim {
namespace {

// Makes the random draws in this file independent of the draws for the arrivals, which begin with
// the same seed.
constexpr std::uint64_t own_draws = 0x9001;

std::string join_lines(const config::Problems& problems) {
  std::string lines;
  for (const auto& problem : problems) lines += (lines.empty() ? "" : "\n") + to_string(problem);
  return lines;
}

}  // namespace

std::variant<std::shared_ptr<const LiveRules>, std::string> read_live_rules(
    const std::string& path) {
  auto read = master::read_rules_file(path);
  if (const auto* problems = std::get_if<config::Problems>(&read)) return join_lines(*problems);
  auto& mode = std::get<master::Mode>(read);
  if (mode.rules->latency || mode.rules->avoid || !mode.rules->roles.empty()) {
    return path +
           ": players of a live run bring numbers and parties; leave the rules of latency, roles "
           "and players to avoid out";
  }
  if (mode.newcomers != Newcomers::always) {
    return path + ": the judge of a live run knows no closed rooms; leave \"newcomers\" out";
  }
  config::Problems problems;
  const auto document = config::Document::from_file(path, problems);
  if (!problems.empty()) return join_lines(problems);
  LiveRules live;
  live.mode = mode.name.text();
  live.text = document.root().dump();
  live.attributes = std::move(mode.attributes);
  live.rules = *mode.rules;
  return std::make_shared<const LiveRules>(std::move(live));
}

std::shared_ptr<const LiveRules> pools_by_region(LiveRules mode) {
  std::erase(mode.attributes, "region");
  auto text = nlohmann::json::parse(mode.text);
  text["attributes"] = mode.attributes;
  text["attributes"].push_back("region");
  mode.text = text.dump();
  return std::make_shared<const LiveRules>(std::move(mode));
}

PoolLoad make_pool_load(const LiveRules& mode, const WorkloadOptions& options) {
  PoolLoad load;
  load.requests = make_workload(options);
  Random random{options.seed ^ own_draws};
  std::uint64_t number = 0;
  for (PlannedPlayer& player : load.requests) {
    auto ticket = replay::made_ticket(TicketId{++number}, mode.rules, {}, {}, random);
    const auto members = static_cast<double>(ticket.members.size());
    Numbers numbers{};
    for (std::size_t n = 0; n < mode.rules.numbers.size(); ++n) {
      numbers.at(n) =
          static_cast<std::int64_t>(std::floor(static_cast<double>(ticket.sums.at(n)) / members));
      player.attributes.emplace_back(mode.rules.numbers[n], numbers.at(n));
      ticket.sums.at(n) = numbers.at(n) * static_cast<std::int64_t>(ticket.members.size());
    }
    for (const std::string& attribute : mode.attributes)
      player.attributes.emplace_back(attribute, 1);
    load.brought[PlayerId{player.id}] = numbers;
    for (std::size_t m = 1; m < ticket.members.size(); ++m) {
      player.party.push_back(fmt::format("{}-{}", player.id, m + 1));
      load.brought[PlayerId{player.party.back()}] = numbers;
    }
    load.arrivals.push_back({.at = player.at, .pool = {}, .ticket = std::move(ticket)});
  }
  return load;
}

}  // namespace fixkeep::client_sim
