#include "worker/shell/game_description.hpp"

#include <algorithm>

#include "common/config/schema.hpp"

namespace fixkeep::worker {
namespace {

using config::Json;

using config::Fields;
using config::self;

void describe_environment(Fields& fields, std::vector<std::string>& environment) {
  std::map<std::string, std::string> values;
  for (const std::string& each : environment) values.emplace(name_and_value(each));
  fields.map("environment", values,
             "Environment variables for the game process, in addition to the variables that the "
             "worker sets.",
             [&](auto& value) {
               fields.text(self, value, {0, 32'768}, "Value of the variable.");
             });
  if (!fields.reads()) return;
  for (const auto& [name, value] : values) environment.push_back(name + "=" + value);
}

struct AttributeKeys {
  std::vector<std::string> values;
  std::string pattern;
};

void describe_attributes(Fields& fields, std::map<std::string, AttributeRule>& rules) {
  std::map<std::string, AttributeKeys> keys;
  for (const auto& [name, rule] : rules) keys[name] = {rule.values(), rule.pattern()};
  fields.map(
      "attributes", keys,
      "Allowed values of {group:ATTRIBUTE}, by attribute: values or a pattern. Required for each "
      "attribute that you use, because players choose its value. The worker refuses other values, "
      "and also values that begin like an option or lead out of a folder.",
      [&](AttributeKeys& each) {
        const auto entry = fields.section(self, "Give either values or pattern.");
        fields.texts(config::maybe("values"), each.values, {1, 1000, true}, {1, 64},
                     "The values, as texts.");
        fields.text(config::maybe("pattern"), each.pattern, {1, AttributeRule::most_pattern_bytes},
                    "A regular expression (RE2) that matches the whole value: [a-z0-9_]{1,32}.");
      });
  if (!fields.reads()) return;
  for (auto& [name, each] : keys) {
    rules.emplace(name, each.pattern.empty() ? AttributeRule::listing(std::move(each.values))
                                             : *AttributeRule::matching(each.pattern).rule);
  }
}

void describe_sdk(Fields& fields, GameDescription& game) {
  fields.map("labels", game.labels,
             "Initial labels of a room in the SDK, in the form of Kubernetes. With Agones, the "
             "labels of a fleet.",
             [&](auto& value) { fields.text(self, value, {}, "Value of the label."); });
  fields.map("counters", game.counters,
             "The counters in the SDK of a room, by name, with their initial values.",
             [&](CounterFacts& counter) {
               const auto entry =
                   fields.section(self, "A counter: a number between 0 and its capacity.");
               fields.whole(config::always("count"), counter.count, {}, "The initial value.");
               fields.whole(config::always("capacity"), counter.capacity, {},
                            "The initial largest value; the game may change it.");
             });
  constexpr std::size_t value_most = 1024;
  fields.map("lists", game.lists,
             "The lists in the SDK of a room, by name, with their initial values.",
             [&](ListFacts& list) {
               const auto entry = fields.section(self, "A list of texts.");
               fields.whole(config::always("capacity"), list.capacity, {0, Lists::capacity_most},
                            "The initial limit of the length; the game may change it.");
               fields.texts(config::always("values"), list.values, {0, Lists::capacity_most},
                            {0, value_most}, "The initial values.");
             });
}

void describe_times(Fields& fields, GameDescription& game, ModeOptions& mode) {
  constexpr std::int64_t memory_most = 100'000'000;
  fields.time("seat_ms", game.seat_time, {1000, config::day_ms},
              "How long a seat remains taken, with players: for-a-time.");
  fields.time("reconnect_ms", mode.reconnect, {0, config::hour_ms},
              "Time for which the worker keeps the seat and the room for a player that left the "
              "game. To return, the player repeats the request at any master. Requires players: "
              "sdk. At least rooms.reservation_ms. 0: the seat is free immediately.");
  fields.time("boot_timeout_ms", mode.boot_timeout, {100, config::hour_ms},
              "Time for a game process to become ready. Before that, a pod has the same time to "
              "get a node.");
  fields.time("stop_grace_ms", mode.stop_grace, {0, config::hour_ms},
              "Time for a game process to end after the request to end. After it the worker kills "
              "the process.");
  fields.whole("memory_mib", mode.memory_mib, {0, memory_most, "MiB"},
               "Memory that a room is expected to use; 0: unknown, and not counted.");
}

// For each key: the names of the runners that have this key.
std::map<std::string, std::vector<std::string>> runners_of_keys() {
  std::map<std::string, std::vector<std::string>> runners;
  for (const RunnerKind& each : all_runners()) {
    const Json schema = Json::parse(Fields::schema("", "", [&](Fields& fields) {
      Launch launch;
      each.describe(fields, launch);
    }));
    for (const auto& [key, value] : schema.at("properties").items()) {
      runners[key].emplace_back(each.name);
    }
  }
  return runners;
}

// Describes the keys of this runner. A key that only other runners have gets an error that names
// those runners. Null: describes the keys of all runners.
void describe_for(Fields& fields, Launch& launch, const RunnerKind* runner) {
  static const auto runners = runners_of_keys();
  if (runner == nullptr) {
    for (const RunnerKind& each : all_runners()) each.describe(fields, launch);
    return;
  }
  runner->describe(fields, launch);
  for (const auto& [key, names] : runners) {
    fields.elsewhere(key, "is not a known key with rooms.runner \"" + std::string{runner->name} +
                              "\": it belongs to " +
                              config::requirement({{"type", "string"}, {"enum", names}}));
  }
}

// Sets the values that follow from the keys.
void finish(GameDescription& game, ModeOptions& mode, const RunnerKind* runner) {
  game.probes = read_probes(game.asked);
  game.seats = read_seat_rule(game.asked);
  // If games use the SDK of their engine, the worker learns the number of their players, but no
  // names.
  const bool has_sdk = runner != nullptr && runner->has_sdk;
  if (has_sdk && game.seats == SeatRule::told) game.seats = SeatRule::counted;
  PodOptions& pod = game.launch.pod;
  if (!pod.pod_template.empty()) pod = {pod.pod_template, game.ports, game.mode.text()};
  mode.name = game.mode;
  mode.seats = game.seats;
  mode.seat_time = game.seat_time;
}

}  // namespace

std::pair<std::string_view, std::string_view> name_and_value(std::string_view variable) {
  const auto equals = std::min(variable.find('='), variable.size());
  return {variable.substr(0, equals), variable.substr(std::min(equals + 1, variable.size()))};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

std::string neighbour_name(std::uint32_t number) {
  return "port+" + std::to_string(number);
}

const std::vector<std::string>& placeholders() {
  static const std::vector<std::string> names{"port",     "room", "group",   "mode",
                                              "capacity", "zone", "address", "folder"};
  return names;
}

void describe(Fields& fields, GameDescription& game, ModeOptions& mode, const RunnerKind* runner) {
  constexpr std::size_t name_most = 128;
  const config::Text port_name{1, 64, "^[a-z][a-z0-9_]*$",
                               "a name of small letters, digits and \"_\""};
  const auto entry = fields.section(self, "How the worker runs the game of a mode.");
  fields.text(config::always("mode"), game.mode, config::name_text(name_most),
              "The name of the mode, as in the masters' files.");
  describe_environment(fields, game.launch.game.environment);
  describe_attributes(fields, game.attributes);
  fields.texts("ports", game.ports, {0, 8}, port_name,
               "Names of further ports of a room. The game gets each as {port:NAME}, and players "
               "find it in `ports` of the seat. {port} is named \"default\" in `ports`.");
  describe_sdk(fields, game);
  fields.choice("match_data", game.match_data,
                {{MatchData::fixkeep, "fixkeep"}, {MatchData::flexmatch, "flexmatch"}},
                "flexmatch: the game also gets its teams as Amazon GameLift tells them "
                "(MatchmakerData), in the annotation fixkeep/matchmaker-data and the file "
                "matchmaker-data.json.");
  worker::describe(fields, game.asked);
  describe_times(fields, game, mode);
  describe_for(fields, game.launch, runner);
  if (fields.reads()) finish(game, mode, runner);
}

bool needs_group(const Json& entry) {
  const std::string text = entry.dump();
  return text.find("{group}") != std::string::npos || text.find("{group:") != std::string::npos;
}

}  // namespace fixkeep::worker
