#include "worker/shell/game_environment.hpp"

#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/percent.hpp"
#include "common/wire/warm_pool.hpp"
#include "worker/shell/game_probes.hpp"

namespace fixkeep::worker {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

// A group key is the mode, followed by a percent-encoded "/NAME=VALUE" for each attribute
// (master/rules/group_key.hpp).
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

void visit_words(auto& command, const auto& told) {
  for (std::size_t i = 0; i < command.size(); ++i) told(command[i], place_in(command, i));
}

// Calls `told` with each text of the template and its place. `Template` is Launch or const Launch.
void visit_texts(auto& launch, const auto& told) {
  visit_words(launch.game.command, told);
  visit_words(launch.stop_command, told);
  told(launch.game.working_folder, TextPlace::folder);
  for (auto& variable : launch.game.environment) told(variable, TextPlace::variable);
  for (auto& file : launch.game.files) told(file.text, TextPlace::line);
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

}  // namespace

std::string why_not_told(const GameDescription& game, const GroupKey& group) {
  const Attributes attributes = attributes_of(group);
  if (attributes.empty()) return {};
  std::string problem;
  const auto look = [&](std::string_view text, TextPlace place) {
    const bool whole = place != TextPlace::line;
    for (const auto line : whole ? std::vector{text} : lines_of(text)) {
      if (problem.empty()) problem = problem_of(game, attributes, line, place);
    }
  };
  visit_texts(game.launch, look);
  visit_commands(game.probes, [&](const auto& command) { visit_words(command, look); });
  return problem;
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
  // One pass only: "{port}" inside an attribute's value is plain text.
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
  Launch launch = game.launch;
  visit_texts(launch, [&](std::string& text, TextPlace) { text = fill_in(text, values); });
  launch.name = to_string(place.room);

  std::map<std::string, std::string> variables;
  const char* path = std::getenv("PATH");
  variables["PATH"] = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  if (place.folder.empty()) {
    const char* home = std::getenv("HOME");
    variables["HOME"] = home == nullptr ? "/" : home;
  } else {
    variables["HOME"] = variables["FIXKEEP_FOLDER"] = place.folder;
  }
  for (const std::string& each : launch.game.environment) {
    const auto [name, value] = name_and_value(each);
    variables[std::string{name}] = value;
  }
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
  launch.game.environment.clear();
  for (const auto& [name, value] : variables) {
    launch.game.environment.push_back(name + "=" + value);
  }
  return launch;
}

}  // namespace fixkeep::worker
