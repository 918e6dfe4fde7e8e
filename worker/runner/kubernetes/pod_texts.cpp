#include "worker/runner/kubernetes/pod_texts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <utility>

#include "common/base/printable.hpp"
#include "worker/runner/kubernetes/relay_container.hpp"

namespace fixkeep::worker::kubernetes {

using fixkeep::kubernetes::at;
using fixkeep::kubernetes::number_at;
using fixkeep::kubernetes::text_at;

namespace {

constexpr std::size_t most_label = 63;
constexpr std::size_t most_reason = 250;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// FNV-1a, 64 bits.
unsigned long long hash_of(std::string_view text) {
  unsigned long long hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

// Returns "Reason: message". Empty without reason and message.
std::string reason_of(const Json& from) {
  std::string text = text_at(from, "reason");
  std::string message = text_at(from, "message");
  if (!message.empty()) text += (text.empty() ? "" : ": ") + message;
  return printable(text.substr(0, most_reason));
}

// Finds the container "game". If there is none, finds the first container that is not our relay.
std::size_t game_index(const Json& containers) {
  std::size_t first = containers.size();
  for (std::size_t i = containers.size(); i-- > 0;) {
    const std::string name = text_at(containers[i], "name");
    if (name == "game") return i;
    if (name != relay_name) first = i;
  }
  return first < containers.size() ? first : 0;
}

const Json& game_of(const Json& pod_template) {
  const Json& containers = at(at(pod_template, "spec"), "containers");
  static const Json nothing;
  return containers.is_array() && !containers.empty() ? containers[game_index(containers)]
                                                      : nothing;
}

// --- ports ---------------------------------------------------------------------------------------

// A game may use TCP and UDP at one port. Kubernetes has two entries for it, but here it is one
// port. If an entry has no number, the port has the same number inside as at the node.
struct WantedPort {
  std::string name;
  std::int64_t inside = 0;  // 0: the node's port
};

std::vector<WantedPort> wanted_ports(const Json& pod_template,
                                     const std::vector<std::string>& names) {
  std::vector<WantedPort> wanted;
  const Json& ports = at(game_of(pod_template), "ports");
  if (!ports.is_array() || ports.empty()) {
    wanted.push_back({std::string{wire::main_port_name}});
    for (const std::string& name : names) wanted.push_back({name});
    return wanted;
  }
  for (const Json& port : ports) {
    const WantedPort next{text_at(port, "name"), number_at(port, "containerPort").value_or(0)};
    const auto is_same = [&](const WantedPort& other) {
      return next.inside == 0 ? next.name == other.name : next.inside == other.inside;
    };
    if (std::none_of(wanted.begin(), wanted.end(), is_same)) wanted.push_back(next);
  }
  wanted.front().name = wire::main_port_name;
  return wanted;
}

Json ports_of(const PodOrder& order, const Json& pod_template) {
  const Json& given = at(game_of(pod_template), "ports");
  Json ports = Json::array();
  if (!given.is_array() || given.empty()) {
    for (const wire::NamedPort& port : order.ports) {
      for (const char* const protocol : {"TCP", "UDP"}) {
        ports.push_back(
            {{"containerPort", port.number}, {"hostPort", port.number}, {"protocol", protocol}});
      }
    }
    return ports;
  }
  const auto wanted = wanted_ports(pod_template, {});
  for (Json port : given) {
    const auto inside = number_at(port, "containerPort").value_or(0);
    const std::string name = text_at(port, "name");
    for (std::size_t i = 0; i < wanted.size() && i < order.ports.size(); ++i) {
      const bool is_it = inside == 0 ? wanted[i].inside == 0 && (i == 0 || wanted[i].name == name)
                                     : wanted[i].inside == inside;
      if (!is_it) continue;
      port["hostPort"] = order.ports[i].number;
      if (inside == 0) port["containerPort"] = order.ports[i].number;
      break;
    }
    ports.push_back(std::move(port));
  }
  return ports;
}

// For example "default=20000 query=20001".
std::string ports_text(const std::vector<wire::NamedPort>& ports) {
  std::string text;
  for (const wire::NamedPort& port : ports) {
    text += (text.empty() ? "" : " ") + port.name + "=" + std::to_string(port.number);
  }
  return text;
}

std::vector<wire::NamedPort> parse_ports(std::string_view text) {
  std::vector<wire::NamedPort> ports;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto equals = word.find('=');
    wire::NamedPort port;
    if (equals == std::string_view::npos) return {};
    port.name = word.substr(0, equals);
    std::from_chars(word.data() + equals + 1, word.data() + word.size(), port.number);
    if (!wire::is_valid(port)) return {};
    ports.push_back(std::move(port));
  }
  return ports;
}

std::string word_of(std::string_view text, std::size_t number) {
  for (; number > 0; --number) {
    const auto space = text.find(' ');
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return std::string{text.substr(0, text.find(' '))};
}

// --- the state of a pod --------------------------------------------------------------------------

// These reasons do not pass with time: a person has to change something.
bool ends_a_start(std::string_view reason) {
  constexpr std::array<std::string_view, 8> reasons{
      "ErrImagePull",      "ImagePullBackOff",           "InvalidImageName",
      "ErrImageNeverPull", "CreateContainerConfigError", "CreateContainerError",
      "RunContainerError", "ImageInspectError"};
  return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
}

// Returns null if the container has not ended. Containers are never restarted, so the last state is
// the end. If a kubelet has discarded the container, it may report the container as waiting.
const Json& end_of_container(const Json& status) {
  const Json& state = at(status, "state");
  const Json& terminated = at(state, "terminated");
  if (terminated.is_object() || at(state, "running").is_object()) return terminated;
  return at(at(status, "lastState"), "terminated");
}

void take_container(const Json& status, Pod& pod) {
  const Json& state = at(status, "state");
  const Json& waiting = at(state, "waiting");
  const Json& terminated = end_of_container(status);
  pod.runs = at(state, "running").is_object();
  if (waiting.is_object() && !text_at(waiting, "reason").empty()) {
    pod.why_waiting = reason_of(waiting);
    pod.cannot_start = ends_a_start(text_at(waiting, "reason"));
    if (pod.cannot_start) pod.why_waiting += " (image " + text_at(status, "image") + ")";
  }
  if (!terminated.is_object()) return;
  pod.ended = true;
  // If a kubelet has lost a container, it reports this reason, and the exit code 137. This is not
  // the container's own exit code.
  const std::string reason = text_at(terminated, "reason");
  if (reason == "ContainerStatusUnknown") {
    pod.why_ended = reason_of(terminated);
    return;
  }
  pod.exit_code = static_cast<int>(number_at(terminated, "exitCode").value_or(0));
  pod.knows_code = number_at(terminated, "exitCode").has_value();
  if (reason == "OOMKilled") pod.why_ended = "it had no more memory";
  if (reason == "ContainerCannotRun" || reason == "StartError") {
    pod.cannot_start = true;
    pod.why_waiting = reason_of(terminated);
  }
}

void take_status(const Json& status, const std::string& game, Pod& pod) {
  pod.host = text_at(status, "hostIP");
  const Json& conditions = at(status, "conditions");
  for (const Json& each : conditions.is_array() ? conditions : Json::array()) {
    const bool is_no =
        text_at(each, "type") == "PodScheduled" && text_at(each, "status") == "False";
    if (!is_no) continue;
    pod.unschedulable = true;
    pod.why_waiting = reason_of(each);
  }
  const Json& containers = at(status, "containerStatuses");
  bool all_ended = containers.is_array() && !containers.empty();
  for (const Json& each : containers.is_array() ? containers : Json::array()) {
    if (text_at(each, "name") == game) take_container(each, pod);
    if (!end_of_container(each).is_object()) all_ended = false;
  }
  pod.over = all_ended;
  const std::string phase = text_at(status, "phase");
  if (phase != "Failed" && phase != "Succeeded") return;
  pod.ended = true;  // an evicted pod is Failed while its containers are still being ended
  pod.runs = false;
  const std::string reason = reason_of(status);  // for example "Evicted: …" or "NodeShutdown: …"
  if (!reason.empty()) pod.why_ended = reason;
}

}  // namespace

std::string game_container(const Json& pod_template) {
  const std::string name = text_at(game_of(pod_template), "name");
  return name.empty() ? "game" : name;
}

std::string problem_of_template(const Json& pod_template, const std::vector<std::string>& names) {
  const Json& containers = at(at(pod_template, "spec"), "containers");
  if (!containers.is_array() || containers.empty()) return "must have spec.containers";
  for (const Json& each : containers) {
    if (!each.is_object()) return "must have objects in spec.containers";
    const Json& ports = at(each, "ports");
    for (const Json& port : ports.is_array() ? ports : Json::array()) {
      if (number_at(port, "hostPort")) {
        return "must not have hostPort, which each room has another one of";
      }
    }
  }
  const Json& game = game_of(pod_template);
  if (text_at(game, "image").empty()) {
    return "must have an image of its container \"" + game_container(pod_template) + "\"";
  }
  const Json& policy = at(at(pod_template, "spec"), "restartPolicy");
  if (!policy.is_null() && policy != "Never") {
    return "must not have a restartPolicy but Never: a room that has ended is over";
  }
  const auto wanted = port_names(pod_template, names);
  if (wanted.size() > wire::limits::ports) return "has too many ports";
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].empty()) return "must name each port but the first";
    if (std::count(wanted.begin(), wanted.end(), wanted[i]) > 1) {
      return "has two ports of the name \"" + wanted[i] + "\"";
    }
  }
  for (const std::string& name : names) {
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) {
      return "must have the port \"" + name + "\", which is one of ports";
    }
  }
  return {};
}

std::vector<std::string> port_names(const Json& pod_template,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (WantedPort& port : wanted_ports(pod_template, names)) found.push_back(std::move(port.name));
  return found;
}

std::vector<std::string> ports_of_room(const PodOptions& options) {
  return port_names(Json::parse(options.pod_template, nullptr, false), options.port_names);
}

std::string as_it_stands(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped.append(c == '$' ? 2 : 1, c);
  return escaped;
}

std::string pod_body(const PodOrder& order) {
  Json pod = Json::parse(order.pod_template, nullptr, false);
  const Json ports = ports_of(order, pod);
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  if (!at(pod, "metadata").is_object()) pod["metadata"] = Json::object();
  Json& metadata = pod["metadata"];
  metadata.erase("generateName");
  metadata.erase("namespace");
  metadata["name"] = order.name;
  metadata["labels"][std::string{cluster_label}] = label_value(order.owner.cluster);
  metadata["labels"][std::string{worker_label}] = label_value(order.owner.worker);
  metadata["labels"][std::string{room_label}] = label_value(order.room);
  metadata["labels"][std::string{mode_label}] = label_value(order.mode);
  metadata["annotations"][std::string{owner_annotation}] = owner_text(order);
  metadata["annotations"][std::string{ports_annotation}] = ports_text(order.ports);
  Json& spec = pod["spec"];
  spec["restartPolicy"] = "Never";
  // A game has no access to the API server, unless the template sets this explicitly.
  if (!spec.contains("automountServiceAccountToken")) spec["automountServiceAccountToken"] = false;
  if (!spec.contains("enableServiceLinks")) spec["enableServiceLinks"] = false;
  if (!spec.contains("terminationGracePeriodSeconds")) {
    spec["terminationGracePeriodSeconds"] = std::max<std::int64_t>(order.grace.count(), 1);
  }
  Json& game = spec["containers"][game_index(spec["containers"])];
  if (text_at(game, "name").empty()) game["name"] = "game";
  game["ports"] = ports;
  if (!order.command.empty()) {
    game["command"] = Json::array();
    for (const std::string& word : order.command) game["command"].push_back(as_it_stands(word));
    game.erase("args");
  }
  std::map<std::string, Json> variables;
  // Keeps the template's order, because a variable may use an earlier variable.
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, Json entry) {
    if (!variables.contains(name)) names.push_back(name);
    variables[name] = std::move(entry);
  };
  const Json& given = at(game, "env");
  for (const Json& each : given.is_array() ? given : Json::array())
    add(text_at(each, "name"), each);
  for (const std::string& each : order.environment) {
    const auto equals = each.find('=');
    const std::string name = each.substr(0, equals);
    add(name, {{"name", name}, {"value", as_it_stands(each.substr(equals + 1))}});
  }
  Json environment = Json::array();
  for (const std::string& name : names) environment.push_back(variables.at(name));
  game["env"] = std::move(environment);
  // Puts the relay first: a kubelet starts the containers in the order of this list, and a game may
  // call its SDK immediately.
  if (!order.sdk.image.empty()) {
    Json& containers = spec["containers"];
    containers.insert(containers.begin(), relay_container(order.sdk, order.room, containers));
  }
  return pod.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string delete_body(std::string_view uid, std::chrono::seconds grace) {
  Json body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"gracePeriodSeconds", grace.count()}};
  if (!uid.empty()) body["preconditions"] = {{"uid", uid}};
  return body.dump();
}

std::optional<Pod> parse_pod(const Json& object) {
  const Json& metadata = at(object, "metadata");
  Pod pod;
  pod.name = text_at(metadata, "name");
  pod.uid = text_at(metadata, "uid");
  if (pod.name.empty() || pod.uid.empty()) return std::nullopt;
  const Json& annotations = at(metadata, "annotations");
  pod.owner = text_at(annotations, owner_annotation.data());
  pod.ports = parse_ports(text_at(annotations, ports_annotation.data()));
  pod.room = word_of(pod.owner, 2);
  pod.deleting = !text_at(metadata, "deletionTimestamp").empty();
  pod.node = text_at(at(object, "spec"), "nodeName");
  take_status(at(object, "status"), game_container(object), pod);
  return pod;
}

std::string owner_text(const PodOrder& order) {
  return order.owner.cluster + " " + order.owner.worker + " " + order.room + " " + order.creation;
}

std::string label_value(std::string_view text) {
  std::string value{text.substr(0, most_label)};
  for (char& c : value) c = is_alphanumeric(c) || c == '-' || c == '_' || c == '.' ? c : '-';
  const bool ends_well =
      value.empty() || (is_alphanumeric(value.front()) && is_alphanumeric(value.back()));
  if (value == text && ends_well) return value;
  std::array<char, 18> hash{};
  std::snprintf(hash.data(), hash.size(), "-%016llx", hash_of(text));
  return "x" + value.substr(0, most_label - 18) + hash.data();
}

std::string labels_of(const Owner& owner) {
  return std::string{cluster_label} + "=" + label_value(owner.cluster) + "," +
         std::string{worker_label} + "=" + label_value(owner.worker);
}

}  // namespace fixkeep::worker::kubernetes
