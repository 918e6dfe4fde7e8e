#include "worker/shell/game_environment.hpp"

#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/percent.hpp"
#include "common/wire/warm_pool.hpp"

namespace fixkeep::worker {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

// A group key is the mode and then "/NAME=VALUE" for each attribute, percent-encoded; see
// master/rules/group_key.hpp.
Attributes attributes_of(const GroupKey& key) {
  Attributes attributes;
  std::string_view group = key.text();
  for (auto slash = group.find('/'); slash != std::string_view::npos; slash = group.find('/')) {
    group.remove_prefix(slash + 1);
    const auto part = group.substr(0, group.find('/'));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const auto name = percent_decoded(part.substr(0, equals));
    const auto value = percent_decoded(part.substr(equals + 1));
    if (name && value) attributes[*name] = *value;
  }
  return attributes;
}

struct Text {
  std::string_view text;
  TextPlace place;
};

// All that have placeholders.
std::vector<Text> texts_of(const GameDescription& game) {
  std::vector<Text> texts;
  const auto add = [&](std::string_view text, TextPlace place) {
    if (next_placeholder(text, 0)) texts.push_back({text, place});
  };
  const auto add_words = [&](const std::vector<std::string>& command) {
    for (std::size_t i = 0; i < command.size(); ++i) { add(command[i], place_in(command, i)); }
  };
  const auto add_probe = [&](const probe::Probe& probe) {
    const auto* command = std::get_if<probe::CommandProbe>(&probe.target);
    if (command != nullptr) add_words(command->command);
  };
  add_words(game.command);
  add_words(game.stop_command);
  add(game.working_folder, TextPlace::folder);
  for (const auto& [name, value] : game.environment) add(value, TextPlace::variable);
  for (const auto& [path, lines] : game.files) {
    for (const auto& line : lines) add(line, TextPlace::line);
  }
  for (const auto& probe : game.probes.readiness) add_probe(probe);
  for (const auto& probe : game.probes.liveness) add_probe(probe);
  if (game.probes.players) add_probe(*game.probes.players);
  return texts;
}

std::string problem_of(const GameDescription& game, const Attributes& attributes,
                       std::string_view text, TextPlace place) {
  for (auto each = next_placeholder(text, 0); each; each = next_placeholder(text, each->end)) {
    if (!each->attribute()) continue;
    const auto value = attributes.find(*each->attribute());
    if (value == attributes.end()) continue;
    const auto rule = game.attributes.find(value->first);
    std::string problem = "has no rule";
    if (rule != game.attributes.end()) problem = rule->second.refusal(value->second);
    if (problem.empty()) problem = misplaced(value->second, text, *each, place);
    if (!problem.empty()) return value->first + ": " + problem;
  }
  return {};
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> filled(const std::vector<std::string>& texts, const Values& values) {
  std::vector<std::string> result;
  result.reserve(texts.size());
  for (const auto& text : texts) result.push_back(fill_in(text, values));
  return result;
}

}  // namespace

std::string why_not_told(const GameDescription& game, const GroupKey& group) {
  const Attributes attributes = attributes_of(group);
  if (attributes.empty()) return {};
  for (const auto& [text, place] : texts_of(game)) {
    auto problem = problem_of(game, attributes, text, place);
    if (!problem.empty()) return problem;
  }
  return {};
}

Values values_of(const GameDescription& game, const StartProcess& order, const GamePlace& place) {
  Values values;
  if (why_not_told(game, order.group).empty()) {
    for (const auto& [name, value] : attributes_of(order.group)) values["group:" + name] = value;
  }
  for (std::size_t i = 1; i < place.at.ports.size(); ++i) {
    const wire::NamedPort& port = place.at.ports[i];
    const bool follows = port.name.starts_with("port+");
    values[follows ? port.name : "port:" + port.name] = std::to_string(port.number);
  }
  values["port"] = std::to_string(place.at.port());
  values["room"] = to_string(place.room);
  values["group"] = wire::told_group(order.group);
  values["mode"] = order.mode.text();
  values["capacity"] = std::to_string(order.capacity);
  values["zone"] = place.zone;
  values["address"] = place.address;
  values["folder"] = place.folder;
  return values;
}

std::string fill_in(const std::string& text, const Values& values) {
  std::string result;
  std::size_t from = 0;
  // One pass: an attribute that contains "{port}" is text, not a placeholder.
  for (auto each = next_placeholder(text, 0); each; each = next_placeholder(text, each->end)) {
    const auto value = values.find(each->word);
    if (value == values.end() && !each->attribute()) continue;
    result.append(text, from, each->begin - from);
    if (value != values.end()) result += value->second;
    from = each->end;
  }
  return result.append(text, from);
}

Launch launch_of(const GameDescription& game, const StartProcess& order, const GamePlace& place) {
  const Values values = values_of(game, order, place);
  Launch launch;
  launch.name = to_string(place.room);
  launch.command = filled(game.command, values);
  launch.working_folder = fill_in(game.working_folder, values);
  for (const auto& [path, lines] : game.files) {
    std::string text;
    for (const auto& line : filled(lines, values)) text += line + '\n';
    launch.files.push_back({path, std::move(text)});
  }
  launch.keep_folder = game.keep_folder;
  launch.user = game.user;
  launch.group = game.group;
  launch.open_files = game.open_files;
  launch.limits = game.limits;
  launch.container = game.container;
  launch.daemon = game.daemon;
  launch.terminal = game.terminal;
  launch.stop_signal = game.stop_signal;
  launch.stop_command = filled(game.stop_command, values);
  launch.list_command = game.list_command;
  launch.command_limit = game.command_limit;

  std::map<std::string, std::string> variables;
  const char* path = std::getenv("PATH");
  variables["PATH"] = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  if (place.folder.empty()) {
    const char* home = std::getenv("HOME");
    variables["HOME"] = home == nullptr ? "/" : home;
  } else {
    variables["HOME"] = variables["FIXKEEP_FOLDER"] = place.folder;
  }
  for (const auto& [name, value] : game.environment) variables[name] = fill_in(value, values);
  variables["FIXKEEP_ROOM_ID"] = to_string(place.room);
  if (place.at.port() != 0) variables["FIXKEEP_PORT"] = values.at("port");
  for (const auto& name : game.ports) {
    const auto port = values.find("port:" + name);
    if (port != values.end()) variables["FIXKEEP_PORT_" + upper(name)] = port->second;
  }
  variables["FIXKEEP_GROUP"] = wire::told_group(order.group);
  variables["FIXKEEP_MODE"] = order.mode.text();
  variables["FIXKEEP_CAPACITY"] = std::to_string(order.capacity);
  variables["FIXKEEP_ZONE"] = place.zone;
  variables["FIXKEEP_CREATION_ID"] = to_string(order.creation);
  variables["FIXKEEP_SEAT_KEY"] = place.seat_key;
  if (order.cause.trace) variables["TRACEPARENT"] = to_traceparent(*order.cause.trace);
  for (const auto& [name, value] : place.sdk) variables[name] = value;
  for (const auto& [name, value] : variables) launch.environment.push_back(name + "=" + value);
  return launch;
}

}  // namespace fixkeep::worker
