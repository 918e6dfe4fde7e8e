#include "worker/shell/game_environment.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace fixkeep::worker {

std::string fill_in(const std::string& argument, const StartProcess& order, const RoomId& room) {
  const std::array<std::pair<std::string_view, std::string>, 5> known{{
      {"{port}", std::to_string(order.port)},
      {"{room}", to_string(room)},
      {"{group}", order.group.text()},
      {"{mode}", order.mode.text()},
      {"{capacity}", std::to_string(order.capacity)},
  }};
  std::string result;
  std::string_view rest = argument;
  // One pass: a group key that contains "{port}" is text, not a placeholder.
  while (!rest.empty()) {
    bool replaced = false;
    for (const auto& [name, value] : known) {
      if (!rest.starts_with(name)) continue;
      result += value;
      rest.remove_prefix(name.size());
      replaced = true;
      break;
    }
    if (replaced) continue;
    result += rest.front();
    rest.remove_prefix(1);
  }
  return result;
}

Launch launch_of(const GameCommand& command, const StartProcess& order, const GamePlace& place) {
  Launch launch;
  launch.name = to_string(place.room);
  for (const auto& argument : command.command) {
    launch.command.push_back(fill_in(argument, order, place.room));
  }
  std::map<std::string, std::string> variables;
  const char* path = std::getenv("PATH");
  variables["PATH"] = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  for (const auto& [name, value] : command.environment) variables[name] = value;
  variables["FIXKEEP_ROOM_ID"] = to_string(place.room);
  variables["FIXKEEP_PORT"] = std::to_string(order.port);
  variables["FIXKEEP_GROUP"] = order.group.text();
  variables["FIXKEEP_MODE"] = order.mode.text();
  variables["FIXKEEP_CAPACITY"] = std::to_string(order.capacity);
  variables["FIXKEEP_CREATION_ID"] = to_string(order.creation);
  variables["FIXKEEP_SEAT_KEY"] = place.seat_key;
  for (const auto& [name, value] : place.sdk) variables[name] = value;
  for (const auto& [name, value] : variables) launch.environment.push_back(name + "=" + value);
  return launch;
}

}  // namespace fixkeep::worker
