#include "worker/shell/game_environment.hpp"

#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "common/base/percent.hpp"
#include "common/base/printable.hpp"
#include "common/wire/warm_pool.hpp"

namespace fixkeep::worker {
namespace {

constexpr std::string_view attribute_prefix = "group:";

// A group key is the mode and then "/NAME=VALUE" for each attribute, percent-encoded; see
// master/rules/group_key.hpp.
void add_attributes(std::string_view group, Values& values) {
  for (auto slash = group.find('/'); slash != std::string_view::npos; slash = group.find('/')) {
    group.remove_prefix(slash + 1);
    const auto part = group.substr(0, group.find('/'));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const auto name = percent_decoded(part.substr(0, equals));
    const auto value = percent_decoded(part.substr(equals + 1));
    // Masters refuse such values. No value breaks out of what stands around its placeholder here
    // either, if a master does not.
    if (name && value && is_printable(*value))
      values[std::string{attribute_prefix} + *name] = *value;
  }
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

Values values_of(const GameDescription& game, const StartProcess& order, const GamePlace& place) {
  Values values;
  add_attributes(order.group.text(), values);
  values["port"] = std::to_string(order.port);
  for (std::size_t i = 0; i < game.ports.size() && i < order.more_ports.size(); ++i) {
    values["port:" + game.ports[i]] = std::to_string(order.more_ports[i]);
  }
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
  std::string_view rest = text;
  // One pass: a group key that contains "{port}" is text, not a placeholder.
  for (auto open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    result += rest.substr(0, open);
    rest.remove_prefix(open);
    const auto close = rest.find('}');
    const auto word = rest.substr(1, close == std::string_view::npos ? 0 : close - 1);
    const auto value = values.find(word);
    if (close != std::string_view::npos && value != values.end()) {
      result += value->second;
      rest.remove_prefix(close + 1);
    } else if (close != std::string_view::npos && word.starts_with(attribute_prefix)) {
      rest.remove_prefix(close + 1);
    } else {
      result += '{';
      rest.remove_prefix(1);
    }
  }
  return result.append(rest);
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
  launch.daemon = game.daemon;
  launch.terminal = game.terminal;
  launch.stop_signal = game.stop_signal;
  launch.stop_command = filled(game.stop_command, values);

  std::map<std::string, std::string> variables;
  const char* path = std::getenv("PATH");
  variables["PATH"] = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  variables["HOME"] = place.folder;
  for (const auto& [name, value] : game.environment) variables[name] = fill_in(value, values);
  variables["FIXKEEP_ROOM_ID"] = to_string(place.room);
  variables["FIXKEEP_PORT"] = std::to_string(order.port);
  for (const auto& name : game.ports) {
    variables["FIXKEEP_PORT_" + upper(name)] = values.find("port:" + name)->second;
  }
  variables["FIXKEEP_GROUP"] = wire::told_group(order.group);
  variables["FIXKEEP_MODE"] = order.mode.text();
  variables["FIXKEEP_CAPACITY"] = std::to_string(order.capacity);
  variables["FIXKEEP_ZONE"] = place.zone;
  variables["FIXKEEP_FOLDER"] = place.folder;
  variables["FIXKEEP_CREATION_ID"] = to_string(order.creation);
  variables["FIXKEEP_SEAT_KEY"] = place.seat_key;
  if (order.cause.trace) variables["TRACEPARENT"] = to_traceparent(*order.cause.trace);
  for (const auto& [name, value] : place.sdk) variables[name] = value;
  for (const auto& [name, value] : variables) launch.environment.push_back(name + "=" + value);
  return launch;
}

}  // namespace fixkeep::worker
