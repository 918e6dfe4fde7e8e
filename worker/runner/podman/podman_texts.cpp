#include "worker/runner/podman/podman_texts.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/base/json_bounds.hpp"
#include "common/base/percent.hpp"
#include "common/config/suggestion.hpp"
#include "worker/runner/container_end.hpp"

namespace fixkeep::worker::podman {
namespace {

using engine::Answer;
using engine::Sight;
using nlohmann::json;

constexpr std::string_view api = "/v4.0.0/libpod";
constexpr std::uint64_t log_bytes = 1U << 20U;

json parsed(std::string_view text) {
  if (!is_within(text)) return json{json::value_t::discarded};
  return json::parse(text, nullptr, false);
}

std::string text_at(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_string()
             ? found->get<std::string>()
             : std::string{};
}

json at(const json& object, const char* key) {
  return object.is_object() ? object.value(key, json{}) : json{};
}

json ports_of(const Launch& launch, const std::string& address) {
  json all = json::array();
  const bool is_loopback = address == "localhost" || address.starts_with("127.");
  for (std::size_t i = 0; i < launch.place.ports.size(); ++i) {
    const wire::NamedPort& port = launch.place.ports[i];
    const auto inside = launch.container.publish.find(i == 0 ? "port" : port.name);
    const bool same = inside == launch.container.publish.end();
    all.push_back({{"host_ip", is_loopback ? "127.0.0.1" : ""},
                   {"host_port", port.number},
                   {"container_port", same ? port.number : inside->second},
                   {"protocol", "tcp,udp"}});
  }
  return all;
}

std::string encoded(std::string_view text, std::string_view kept = "-._~") {
  std::string out;
  append_percent_encoded(text, kept, out);
  return out;
}

std::string owner_in(const json& labels) {
  return text_at(labels, "fixkeep.cluster") + "/" + text_at(labels, "fixkeep.worker");
}

Sight sight_of(const std::string& state, const json& exit_code) {
  Sight sight;
  sight.state = Sight::State::unclear;
  if (state == "created" || state == "configured" || state == "initialized") {
    sight.state = Sight::State::made;
  } else if (state == "running" || state == "paused" || state == "stopping") {
    sight.state = Sight::State::running;
  } else if (state == "exited" || state == "stopped") {
    sight.state = Sight::State::ended;
    sight.end = exit_code.is_number_integer() ? container_end(exit_code.get<int>())
                                              : unseen_end("an unknown exit code");
  } else if (state == "removing") {
    sight.state = Sight::State::going;
  }
  return sight;
}

}  // namespace

std::string new_container(const Launch& launch, const Owner& owner) {
  std::map<std::string, std::string> environment;
  for (const std::string& each : launch.game.environment) {
    const auto equals = each.find('=');
    if (equals != std::string::npos) environment[each.substr(0, equals)] = each.substr(equals + 1);
  }
  const auto& limits = launch.game.limits;
  const auto room_options = json::array({"rw", "nosuid", "nodev"});
  json spec{{"name", launch.object},
            {"image", launch.container.image},
            {"env", environment},
            {"labels",
             {{"fixkeep.cluster", owner.cluster},
              {"fixkeep.worker", owner.worker},
              {"fixkeep.room", launch.name},
              {"fixkeep.creation", to_string(launch.creation)}}},
            {"stop_signal", launch.stop_signal},
            {"cap_drop", {"all"}},
            {"no_new_privileges", true},
            {"systemd", "false"},
            {"log_configuration", {{"driver", "k8s-file"}, {"size", log_bytes}}},
            {"volumes", {{{"Name", ""}, {"Dest", room_folder}, {"Options", room_options}}}}};
  if (!launch.game.command.empty()) spec["command"] = launch.game.command;
  if (!launch.game.working_folder.empty()) spec["work_dir"] = launch.game.working_folder;
  if (!launch.user.empty()) {
    spec["user"] = launch.user + (launch.group.empty() ? "" : ":" + launch.group);
  }
  if (launch.container.network == ContainerNetwork::host) {
    spec["netns"] = {{"nsmode", "host"}};
  } else {
    spec["netns"] = {{"nsmode", "bridge"}};
    spec["portmappings"] = ports_of(launch, owner.address);
  }
  if (limits.memory_mib > 0) {
    spec["resource_limits"]["memory"] = {{"limit", limits.memory_mib << 20U}};
  }
  if (limits.processes > 0) spec["resource_limits"]["pids"] = {{"limit", limits.processes}};
  if (launch.container.read_only) {
    spec["read_only_filesystem"] = true;
    spec["mounts"] = {{{"destination", "/tmp"},
                       {"type", "tmpfs"},
                       {"source", "tmpfs"},
                       {"options", {"rw", "nosuid", "nodev", "mode=1777"}}}};
  }
  return spec.dump();
}

std::string container_target(std::string_view name, std::string_view rest) {
  return std::string{api} + "/containers/" + encoded(name) + std::string{rest};
}

std::string create_target() {
  return std::string{api} + "/containers/create";
}

std::string list_target(const Owner& owner) {
  const json labels{"fixkeep.cluster=" + owner.cluster, "fixkeep.worker=" + owner.worker};
  return std::string{api} +
         "/containers/json?all=true&filters=" + encoded(json{{"label", labels}}.dump());
}

// Podman shows an event that has one of several labels. event_in() tells the whole owner.
std::string events_target(const Owner& owner) {
  const json filters{{"type", {"container"}}, {"label", {"fixkeep.worker=" + owner.worker}}};
  return std::string{api} + "/events?stream=true&filters=" + encoded(filters.dump());
}

std::string pull_target(std::string_view image) {
  return std::string{api} + "/images/pull?policy=missing&quiet=true&reference=" + encoded(image);
}

std::optional<Sight> sight_in(std::string_view inspected) {
  const json container = parsed(inspected);
  const json state = at(container, "State");
  if (!state.is_object()) return std::nullopt;
  Sight sight = sight_of(text_at(state, "Status"), at(state, "ExitCode"));
  if (sight.end && at(state, "OOMKilled") == true) sight.end->how += ", out of memory";
  sight.owner = owner_in(at(at(container, "Config"), "Labels"));
  sight.uid = text_at(container, "Id");
  return sight;
}

std::optional<std::vector<engine::Shown>> list_in(std::string_view listed) {
  const json list = parsed(listed);
  if (!list.is_array()) return std::nullopt;
  std::vector<engine::Shown> all;
  for (const json& each : list) {
    const json names = at(each, "Names");
    if (!names.is_array() || names.empty() || !names[0].is_string()) continue;
    Sight sight = sight_of(text_at(each, "State"), at(each, "ExitCode"));
    sight.owner = owner_in(at(each, "Labels"));
    sight.uid = text_at(each, "Id");
    all.push_back({names[0].get<std::string>(), std::move(sight)});
  }
  return all;
}

std::optional<Event> event_in(std::string_view line) {
  const json told = parsed(line);
  const json actor = at(told, "Actor");
  const json facts = at(actor, "Attributes");
  Event event{.object = {text_at(facts, "name"), {}}};
  if (event.object.name.empty()) return std::nullopt;
  Sight& sight = event.object.sight;
  sight.owner = owner_in(facts);
  sight.uid = text_at(actor, "ID");
  const std::string action = text_at(told, "Action");
  if (action == "create") {
    sight.state = Sight::State::made;
  } else if (action == "start") {
    sight.state = Sight::State::running;
  } else if (action == "died") {
    event.kind = Event::Kind::ended;
    sight.state = Sight::State::unclear;
    const auto code = config::parse_whole<int>(text_at(facts, "containerExitCode"));
    if (code) sight.end = container_end(*code);
  } else if (action == "remove") {
    event.kind = Event::Kind::ended;
    sight.state = Sight::State::none;
  } else {
    return std::nullopt;
  }
  return event;
}

std::string objection_in(std::string_view body) {
  const auto message = text_at(parsed(body), "message");
  return message.empty() ? std::string{body} : message;
}

std::string pull_error_in(std::string_view lines) {
  std::string last;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const json line = parsed(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (const auto error = text_at(line, "error"); !error.empty()) return error;
    last = text_at(line, "id");
  }
  return last.empty() ? "the pull has ended without an image" : "";
}

Answer make_answer(unsigned status, std::string_view body) {
  Answer answer;
  answer.why = objection_in(body);
  const auto says = [&](std::string_view text) {
    return answer.why.find(text) != std::string::npos;
  };
  if (status / 100 == 2 || status == 304) return {.kind = Answer::Kind::done};
  if (status == 0 || status == 404 || status == 409 || says("already in use by")) return answer;
  if (status == 500 && !says("OCI") && !says("image not known") && !says("unable to find user") &&
      !says("address already in use")) {
    return answer;
  }
  answer.kind = Answer::Kind::refused;
  answer.blameless = says("address already in use");
  return answer;
}

std::string OutputReader::take(std::string_view bytes) {
  constexpr std::size_t head_bytes = 8;
  std::string text;
  while (!bytes.empty()) {
    const std::size_t some = std::min(bytes.size(), rest_ > 0 ? rest_ : head_bytes - head_.size());
    (rest_ > 0 ? text : head_) += bytes.substr(0, some);
    bytes.remove_prefix(some);
    if (rest_ > 0) {
      rest_ -= some;
    } else if (head_.size() == head_bytes) {
      for (std::size_t i = 4; i < head_bytes; ++i) {
        rest_ = (rest_ << 8U) | static_cast<unsigned char>(head_[i]);
      }
      head_.clear();
    }
  }
  return text;
}

}  // namespace fixkeep::worker::podman
