#include "master/modes/mode_json.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/sip_hash.hpp"
#include "common/config/loader.hpp"

namespace fixkeep::master {
namespace {

using config::Json;
using std::chrono::milliseconds;

Duration read_ms(const Json& object, const char* key) {
  return milliseconds{object.at(key).get<std::int64_t>()};
}

std::int64_t to_ms(Duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration).count();
}

plan::Steps read_steps(const Json& list) {
  plan::Steps steps;
  for (const Json& step : list) {
    steps.push_back({read_ms(step, "after_ms"), step.value("most", plan::no_limit)});
  }
  return steps;
}

Json to_json(const plan::Steps& steps) {
  Json list = Json::array();
  for (const plan::Step& step : steps) {
    list.push_back({{"after_ms", to_ms(step.after)}});
    if (step.most != plan::no_limit) list.back()["most"] = step.most;
  }
  return list;
}

// Returns the index of the number with this name. Adds the number if the name is new.
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

Json teams_json(const plan::Rules& rules) {
  Json teams{{"count", rules.teams->count}, {"size", rules.teams->size}};
  if (rules.teams->number) {
    teams["attribute"] = rules.numbers.at(*rules.teams->number);
    teams["difference"] = rules.teams->difference;
  }
  return teams;
}

// `numbers`: for shadow rules, the numbers of the live rules.
plan::Rules read_rules(const Json& mode, const char* key, std::vector<std::string> numbers = {}) {
  const Json& given = mode.at(key);
  plan::Rules rules;
  rules.numbers = std::move(numbers);
  rules.wait = read_ms(given, "wait_ms");
  rules.size.most = rules.size.best = rules.size.least = mode.at("capacity").get<std::uint32_t>();
  for (const Json& rule : given.at("distance")) {
    const auto widen = rule.at("widen") == "both" ? plan::Widening::both : plan::Widening::older;
    rules.distances.push_back({number_of(rule.at("attribute").get<std::string>(), rules),
                               read_steps(rule.at("steps")), widen});
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
    rules.size.after = read_ms(size, "after_ms");
  }
  if (given.contains("teams")) read_teams(given.at("teams"), rules);
  for (const auto& [name, seats] : given.at("roles").items()) {
    rules.roles.push_back({name, seats.get<std::uint32_t>()});
  }
  if (given.contains("avoid"))
    rules.avoid = plan::AvoidRule{read_ms(given.at("avoid"), "until_ms")};
  rules.party = given.value("party", rules.team_size());
  return rules;
}

Json to_json(const plan::Rules& rules) {
  Json distances = Json::array();
  for (const plan::DistanceRule& rule : rules.distances) {
    distances.push_back({{"attribute", rules.numbers.at(rule.number)},
                         {"widen", rule.widening == plan::Widening::both ? "both" : "older"},
                         {"steps", to_json(rule.steps)}});
  }
  Json roles = Json::object();
  for (const plan::Role& role : rules.roles) roles[role.name] = role.seats;
  Json all{{"wait_ms", to_ms(rules.wait)},
           {"party", rules.party},
           {"distance", std::move(distances)},
           {"roles", std::move(roles)}};
  if (rules.latency) {
    all["latency"] = {{"regions", rules.latency->regions},
                      {"steps", to_json(rules.latency->steps)}};
  }
  if (rules.size.best < rules.size.most || rules.size.least < rules.size.best) {
    all["size"] = {{"best", rules.size.best},
                   {"least", rules.size.least},
                   {"after_ms", to_ms(rules.size.after)}};
  }
  if (rules.teams) all["teams"] = teams_json(rules);
  if (rules.avoid) all["avoid"] = {{"until_ms", to_ms(rules.avoid->until)}};
  return all;
}

std::optional<SeatScope> parse_seat_scope(std::string_view text) {
  if (text == "mode") return SeatScope::mode;
  if (text == "group") return SeatScope::group;
  return {};
}

std::string_view name_of(SeatScope scope) {
  return scope == SeatScope::mode ? "mode" : "group";
}

}  // namespace

Mode read_mode(const Json& entry) {
  const config::FieldReader fields{entry};
  Mode mode;
  std::string name;
  fields("name", name);
  mode.name = ModeName{name};
  fields("capacity", mode.capacity);
  fields.choice("one_seat_per", mode.one_seat_per, parse_seat_scope);
  mode.join = join_rule_of(entry.at("join").get<std::vector<std::string>>());
  mode.attributes = entry.at("attributes").get<std::vector<std::string>>();
  mode.values = entry.at("values").get<std::map<std::string, std::vector<std::string>>>();
  fields("warm.min", mode.warm.least);
  fields("warm.max", mode.warm.most);
  mode.warm.share = entry.at("warm").at("share").get<double>();
  for (const auto& band : entry.at("bands")) {
    mode.bands.push_back({band.at("attribute").get<std::string>(),
                          band.at("edges").get<std::vector<std::int64_t>>()});
  }
  if (entry.contains("rules")) {
    mode.rules = std::make_shared<plan::Rules>(read_rules(entry, "rules"));
  }
  if (entry.contains("rules_shadow")) {
    mode.shadow =
        std::make_shared<plan::Rules>(read_rules(entry, "rules_shadow", mode.rules->numbers));
  }
  return mode;
}

Json to_json(const Mode& mode) {
  Json bands = Json::array();
  for (const Band& band : mode.bands) {
    bands.push_back({{"attribute", band.attribute}, {"edges", band.edges}});
  }
  Json entry{
      {"name", mode.name.text()},
      {"capacity", mode.capacity},
      {"one_seat_per", name_of(mode.one_seat_per)},
      {"join", names_of(mode.join)},
      {"attributes", mode.attributes},
      {"values", mode.values},
      {"bands", std::move(bands)},
      {"warm", {{"min", mode.warm.least}, {"max", mode.warm.most}, {"share", mode.warm.share}}}};
  if (mode.rules) entry["rules"] = to_json(*mode.rules);
  if (mode.shadow) entry["rules_shadow"] = to_json(*mode.shadow);
  return entry;
}

std::uint64_t hash_of(const std::vector<Mode>& modes) {
  Json by_name = Json::object();
  for (const Mode& mode : modes) by_name[mode.name.text()] = to_json(mode);
  return sip_hash({}, by_name.dump());
}

void share_equal_rules(const std::vector<Mode>& before, std::vector<Mode>& read) {
  const auto share = [](const auto& old, auto& rules) {
    if (old && rules && to_json(*old) == to_json(*rules)) rules = old;
  };
  for (Mode& mode : read) {
    for (const Mode& old : before) {
      if (old.name != mode.name) continue;
      share(old.rules, mode.rules);
      share(old.shadow, mode.shadow);
    }
  }
}

}  // namespace fixkeep::master
