#include "master/modes/rules_file.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/config/loader.hpp"
#include "common/config/schema.hpp"
#include "master/modes/rules_check.hpp"

namespace fixkeep::master {
namespace {

using config::Json;
using std::chrono::milliseconds;

plan::Steps read_steps(const Json& list) {
  plan::Steps steps;
  for (const Json& step : list) {
    steps.push_back({milliseconds{step.at("after_ms").get<std::int64_t>()},
                     step.value("most", plan::no_limit)});
  }
  return steps;
}

// The index of a number by its name.
std::size_t number_of(const std::string& name, plan::Rules& rules) {
  const auto found = std::find(rules.numbers.begin(), rules.numbers.end(), name);
  if (found != rules.numbers.end()) {
    return static_cast<std::size_t>(found - rules.numbers.begin());
  }
  rules.numbers.push_back(name);
  return rules.numbers.size() - 1;
}

void read_teams(const Json& teams, plan::Rules& rules) {
  rules.teams = plan::TeamRule{teams.at("count").get<std::uint32_t>(),
                               teams.at("size").get<std::uint32_t>(),
                               {},
                               teams.value("difference", plan::no_limit)};
  if (teams.contains("attribute")) {
    rules.teams->number = number_of(teams.at("attribute").get<std::string>(), rules);
  }
}

RuledMode read_mode_with_rules(const Json& root) {
  RuledMode mode;
  mode.name = root.at("name").get<std::string>();
  mode.attributes = root.at("attributes").get<std::vector<std::string>>();
  const Json& given = root.at("rules");
  plan::Rules& rules = mode.rules;
  rules.wait = milliseconds{given.at("wait_ms").get<std::int64_t>()};
  rules.passes = given.at("passes").get<std::uint32_t>();
  rules.size.most = rules.size.best = rules.size.least = root.at("capacity").get<std::uint32_t>();
  for (const Json& rule : given.at("distance")) {
    const auto widening = rule.at("widen") == "both" ? plan::Widening::both : plan::Widening::older;
    rules.distances.push_back({number_of(rule.at("attribute").get<std::string>(), rules),
                               read_steps(rule.at("steps")), widening});
  }
  if (given.contains("latency")) {
    const Json& latency = given.at("latency");
    rules.latency = plan::LatencyRule{latency.at("regions").get<std::vector<std::string>>(),
                                      read_steps(latency.at("steps"))};
  }
  if (given.contains("size")) {
    const Json& size = given.at("size");
    rules.size.best = size.at("best").get<std::uint32_t>();
    rules.size.least = size.value("least", rules.size.best);
    rules.size.after = milliseconds{size.at("after_ms").get<std::int64_t>()};
  }
  if (given.contains("teams")) read_teams(given.at("teams"), rules);
  for (const auto& [name, seats] : given.at("roles").items()) {
    rules.roles.push_back({name, seats.get<std::uint32_t>()});
  }
  if (given.contains("avoid")) {
    rules.avoid =
        plan::AvoidRule{milliseconds{given.at("avoid").at("until_ms").get<std::int64_t>()}};
  }
  rules.party = given.value("party", rules.team_size());
  return mode;
}

// Fills in what is missing, but for rules that were not given at all: those do not hold.
void fill_defaults(const config::Schema& schema, config::Document& document) {
  std::vector<std::string> without;
  for (const std::string rule : {"latency", "size", "teams", "avoid"}) {
    if (config::find(document.root(), "rules." + rule) == nullptr) without.push_back(rule);
  }
  schema.fill_defaults(document);
  if (!document.root().contains("rules") || !document.root().at("rules").is_object()) return;
  for (const std::string& rule : without) document.root()["rules"].erase(rule);
}

std::variant<RuledMode, config::Problems> judge_and_read(config::Document document,
                                                         config::Problems problems) {
  static const config::Schema schema{rules_schema()};
  if (problems.empty()) {
    fill_defaults(schema, document);
    schema.validate(document, problems);
    check_rules(document, problems);
  }
  if (problems.empty()) return read_mode_with_rules(document.root());
  sort(problems);
  return problems;
}

}  // namespace

std::variant<RuledMode, config::Problems> read_rules_file(const std::string& path) {
  config::Problems problems;
  auto document = config::Document::from_file(path, problems);
  return judge_and_read(std::move(document), std::move(problems));
}

std::variant<RuledMode, config::Problems> read_rules(const std::string& name,
                                                     std::string_view text) {
  config::Problems problems;
  auto document = config::Document::from_text(name, text, problems);
  return judge_and_read(std::move(document), std::move(problems));
}

}  // namespace fixkeep::master
