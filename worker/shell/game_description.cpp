#include "worker/shell/game_description.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "common/config/sections.hpp"
#include "common/process/self.hpp"
#include "worker/shell/game_container.hpp"
#include "worker/shell/game_probes.hpp"

namespace fixkeep::worker {
namespace {

using config::Json;

constexpr std::array<std::pair<KeepFolder, std::string_view>, 3> keep_words{{
    {KeepFolder::never, "never"},
    {KeepFolder::if_failed, "if-failed"},
    {KeepFolder::always, "always"},
}};

std::optional<KeepFolder> parse_keep(std::string_view text) {
  for (const auto& [value, word] : keep_words) {
    if (word == text) return value;
  }
  return std::nullopt;
}

int signal_of(std::string_view name) {
  for (const int number : {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGKILL}) {
    if (process::signal_name(number) == name) return number;
  }
  return SIGTERM;
}

// Visits each key that sets exactly one field. Used for reading and for writing.
template <class Fields>
void visit(const Fields& fields, GameDescription& game) {
  fields("working_folder", game.launch.game.working_folder);
  fields.choice("keep_folder", game.launch.game.keep_folder, parse_keep);
  fields("user", game.launch.user);
  fields("group", game.launch.group);
  fields("memory_limit_mib", game.launch.game.limits.memory_mib);
  fields("processes", game.launch.game.limits.processes);
  fields("daemon", game.launch.game.daemon);
  fields("terminal", game.launch.game.terminal);
  fields("seat_ms", game.seat_time);
  fields("neighbour_ports", game.neighbour_ports);
  fields("hook.timeout_ms", game.launch.command_limit);
}

std::vector<std::string> read_environment(const Json& environment) {
  std::vector<std::string> read;
  for (const auto& [name, value] : environment.items()) {
    read.push_back(name + "=" + value.get_ref<const std::string&>());
  }
  return read;
}

std::vector<GameFile> read_files(const Json& files) {
  std::vector<GameFile> read;
  for (const auto& [path, lines] : files.items()) {
    std::string& text = read.emplace_back(GameFile{path, {}}).text;
    for (const Json& line : lines) text += line.get_ref<const std::string&>() + '\n';
  }
  return read;
}

Counters::Map read_counters(const Json& counters) {
  Counters::Map read;
  for (const auto& [name, counter] : counters.items()) {
    read[name] = {.count = counter.at("count"), .capacity = counter.at("capacity")};
  }
  return read;
}

Lists::Map read_lists(const Json& lists) {
  Lists::Map read;
  for (const auto& [name, list] : lists.items()) {
    read[name] = {.capacity = list.at("capacity"), .values = list.at("values")};
  }
  return read;
}

std::map<std::string, AttributeRule> read_attributes(const Json& attributes) {
  std::map<std::string, AttributeRule> read;
  for (const auto& [name, rule] : attributes.items()) {
    const bool listed = rule.contains("values");
    read.emplace(name, listed ? AttributeRule::listing(rule.at("values"))
                              : *AttributeRule::matching(rule.at("pattern")).rule);
  }
  return read;
}

}  // namespace

std::string_view to_string(KeepFolder keep) {
  for (const auto& [value, word] : keep_words) {
    if (value == keep) return word;
  }
  return {};
}

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

GameDescription read_game(const Json& entry) {
  GameDescription game;
  game.mode = ModeName{entry.at("mode").get<std::string>()};
  Launch& launch = game.launch;
  launch.game.command = entry.at("command").get<std::vector<std::string>>();
  launch.game.environment = read_environment(entry.at("environment"));
  launch.game.files = read_files(entry.at("files"));
  game.attributes = read_attributes(entry.at("attributes"));
  game.labels = entry.at("labels").get<Metadata::Map>();
  game.counters = read_counters(entry.at("counters"));
  game.lists = read_lists(entry.at("lists"));
  game.ports = entry.at("ports").get<std::vector<std::string>>();
  const Json& stop = entry.at("stop");
  launch.stop_signal = signal_of(stop.at("signal").get<std::string>());
  launch.stop_command = stop.at("command").get<std::vector<std::string>>();
  game.probes = read_probes(entry);
  game.seats = read_seat_rule(entry);
  for (const char* key : asked_keys) game.asked[key] = entry.at(key);
  launch.container = read_container(entry);
  launch.fleets = entry.at("fleets").get<std::vector<std::string>>();
  visit(config::FieldReader{entry}, game);
  const Json& hook = entry.at("hook");
  launch.list_command = hook.at("list").get<std::vector<std::string>>();
  if (launch.list_command.empty()) return game;
  launch.game.command = hook.at("start").get<std::vector<std::string>>();
  launch.stop_command = hook.at("stop").get<std::vector<std::string>>();
  return game;
}

bool needs_group(const Json& entry) {
  const std::string text = entry.dump();
  return text.find("{group}") != std::string::npos || text.find("{group:") != std::string::npos;
}

void show_game(const GameDescription& game, Json& shown) {
  shown["mode"] = game.mode.text();
  const Launch& launch = game.launch;
  const bool hook = !launch.list_command.empty();
  const std::vector<std::string> none;
  shown["command"] = hook ? none : launch.game.command;
  shown["hook"] = {{"start", hook ? launch.game.command : none},
                   {"stop", hook ? launch.stop_command : none},
                   {"list", launch.list_command}};
  shown["environment"] = Json::object();
  for (const std::string& each : launch.game.environment) {
    const auto [name, value] = name_and_value(each);
    shown["environment"][std::string{name}] = value;
  }
  shown["files"] = Json::object();
  for (const auto& [path, text] : launch.game.files) shown["files"][path] = lines_of(text);
  shown["ports"] = game.ports;
  shown["attributes"] = Json::object();
  for (const auto& [name, rule] : game.attributes) {
    shown["attributes"][name] = rule.pattern().empty() ? Json{{"values", rule.values()}}
                                                       : Json{{"pattern", rule.pattern()}};
  }
  shown["labels"] = game.labels;
  shown["counters"] = Json::object();
  for (const auto& [name, counter] : game.counters) {
    shown["counters"][name] = {{"count", counter.count}, {"capacity", counter.capacity}};
  }
  shown["lists"] = Json::object();
  for (const auto& [name, list] : game.lists) {
    shown["lists"][name] = {{"capacity", list.capacity}, {"values", list.values}};
  }
  shown["stop"] = {{"signal", process::signal_name(launch.stop_signal)},
                   {"command", hook ? none : launch.stop_command}};
  shown.update(game.asked);
  show_container(launch.container, shown);
  shown["fleets"] = launch.fleets;
  GameDescription copy = game;
  visit(config::FieldWriter{shown}, copy);
}

}  // namespace fixkeep::worker
