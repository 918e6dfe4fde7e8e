#include "worker/runner/containers/engine_texts.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/json_bounds.hpp"
#include "common/base/printable.hpp"

namespace fixkeep::worker::containers {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t bytes_of_mib = 1U << 20U;
constexpr std::size_t most_message = 300;

// Real answers of engines are far smaller than these bounds.
Json parsed(std::string_view text) {
  if (!is_within(text, {.deepest = 32})) return Json(Json::value_t::discarded);
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

// Returns null if the member is missing or `from` is no object.
const Json& at(const Json& from, const char* key) {
  static const Json nothing;
  if (!from.is_object()) return nothing;
  const auto found = from.find(key);
  return found == from.end() ? nothing : *found;
}

std::string text(const Json& from, const char* key) {
  const Json& value = at(from, key);
  return value.is_string() ? value.get<std::string>() : std::string{};
}

template <class Number>
Number number(const Json& from, const char* key) {
  const Json& value = at(from, key);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return 0;
  return value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>())
             ? static_cast<Number>(value.get<std::int64_t>())
             : Number{0};
}

bool truth(const Json& from, const char* key) {
  const Json& value = at(from, key);
  return value.is_boolean() && value.get<bool>();
}

std::optional<ApiVersion> parse_version(std::string_view from) {
  const auto dot = from.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  ApiVersion version;
  const auto read = [](std::string_view digits, std::uint32_t& into) {
    const char* const end = digits.data() + digits.size();
    const auto [stopped, wrong] = std::from_chars(digits.data(), end, into);
    return wrong == std::errc{} && stopped == end;
  };
  if (!read(from.substr(0, dot), version.major)) return std::nullopt;
  if (!read(from.substr(dot + 1), version.minor)) return std::nullopt;
  return version;
}

Labels labels_of(const Json& from) {
  return {.cluster = text(from, "fixkeep.cluster"),
          .worker = text(from, "fixkeep.worker"),
          .room = text(from, "fixkeep.room"),
          .creation = text(from, "fixkeep.creation")};
}

// Knows the words of Docker and Podman. A container that is paused, stopping or restarting still
// has its processes, so it counts as running. Nullopt: a word of another or a later engine.
std::optional<ContainerState> known_state(std::string_view word) {
  for (const auto* each : {"created", "configured", "initialized"}) {
    if (word == each) return ContainerState::created;
  }
  for (const auto* each : {"running", "paused", "restarting", "stopping", "pausing"}) {
    if (word == each) return ContainerState::running;
  }
  for (const auto* each : {"exited", "stopped", "dead"}) {
    if (word == each) return ContainerState::exited;
  }
  if (word == "removing") return ContainerState::removing;
  return std::nullopt;
}

std::string dockers_word(const std::string& action) {
  if (action == "died") return "die";
  return action == "remove" ? "destroy" : action;
}

// If the state is unknown, the container counts as running. Exception: other fields show that none
// of its processes runs.
ContainerState state_of(const Json& state) {
  if (const auto known = known_state(text(state, "Status"))) return *known;
  const Json& runs = at(state, "Running");
  if (!runs.is_boolean() || runs.get<bool>() || number<int>(state, "Pid") != 0) {
    return ContainerState::running;
  }
  const std::string started = text(state, "StartedAt");
  const bool never = started.empty() || started.starts_with("0001-");
  return never ? ContainerState::created : ContainerState::exited;
}

// Returns the value of a variable. Empty: no variable has that name.
std::string variable(const Json& environment, const std::string& name) {
  if (!environment.is_array()) return {};
  for (const Json& each : environment) {
    const std::string text = each.is_string() ? each.get<std::string>() : std::string{};
    if (text.starts_with(name + "=")) return text.substr(name.size() + 1);
  }
  return {};
}

// Returns the ports in the order of the SDK's transports.
std::vector<std::uint16_t> sdk_ports_of(const Json& environment) {
  std::vector<std::uint16_t> ports;
  for (const char* name : {"AGONES_SDK_HTTP_PORT", "AGONES_SDK_GRPC_PORT"}) {
    const std::string digits = variable(environment, name);
    std::uint16_t port = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (port != 0) ports.push_back(port);
  }
  return ports;
}

std::string without_slash(std::string name) {
  if (name.starts_with('/')) name.erase(0, 1);
  return name;
}

Json host_config(const ContainerOrder& order) {
  // With "Init", the game's program is not process 1. Process 1 ignores signals for which it has no
  // handler, and has to collect ended processes of other parents.
  Json host{{"AutoRemove", false},
            {"Init", true},
            {"RestartPolicy", {{"Name", "no"}}},
            {"CapDrop", {"ALL"}},
            {"SecurityOpt", {"no-new-privileges"}},
            {"ReadonlyRootfs", order.read_only},
            {"NetworkMode", order.network == Network::host ? "host" : "bridge"}};
  if (order.log_bytes == 0) {
    host["LogConfig"] = {{"Type", "none"}};
  } else {
    host["LogConfig"] = {
        {"Type", "json-file"},
        {"Config", {{"max-size", std::to_string(order.log_bytes)}, {"max-file", "1"}}}};
  }
  if (order.read_only) host["Tmpfs"] = {{"/tmp", ""}};
  if (order.limits.memory_mib > 0) {
    host["Memory"] = order.limits.memory_mib * bytes_of_mib;
    host["MemorySwap"] = host["Memory"];  // the sum of memory and swap, so no swap
  }
  if (order.limits.processes > 0) host["PidsLimit"] = order.limits.processes;
  for (const PublishedPort& port : order.ports) {
    for (const char* protocol : {"/tcp", "/udp"}) {
      host["PortBindings"][std::to_string(port.container) + protocol] = Json::array(
          {{{"HostIp", order.published_at}, {"HostPort", std::to_string(port.machine)}}});
    }
  }
  return host;
}

}  // namespace

std::string to_string(const ApiVersion& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

std::variant<ApiVersion, std::string> version_to_speak(std::string_view answer) {
  const Json version = parsed(answer);
  const auto theirs = parse_version(text(version, "ApiVersion"));
  if (!theirs) return "it is no Docker engine: it does not say which version of the API it speaks";
  // An engine that does not report its oldest version supports all versions from 1.0.
  const auto least = parse_version(text(version, "MinAPIVersion")).value_or(ApiVersion{1, 0});
  const ApiVersion chosen = std::min(*theirs, newest_version);
  if (chosen < oldest_version) {
    return "it speaks no newer version of the API than " + to_string(*theirs) + "; needed is " +
           to_string(oldest_version);
  }
  if (chosen < least) {
    return "it speaks no older version of the API than " + to_string(least) +
           "; the newest that is known here is " + to_string(newest_version);
  }
  return chosen;
}

std::string create_body(const ContainerOrder& order) {
  Json body{{"Image", order.image},
            {"Env", order.environment},
            {"Tty", order.terminal},
            {"Labels",
             {{"fixkeep.cluster", order.labels.cluster},
              {"fixkeep.worker", order.labels.worker},
              {"fixkeep.room", order.labels.room},
              {"fixkeep.creation", order.labels.creation}}},
            {"Volumes", {{std::string{room_volume}, Json::object()}}},
            {"HostConfig", host_config(order)}};
  if (!order.command.empty()) body["Cmd"] = order.command;
  if (!order.working_folder.empty()) body["WorkingDir"] = order.working_folder;
  if (!order.user.empty()) body["User"] = order.user;
  for (const PublishedPort& port : order.ports) {
    for (const char* protocol : {"/tcp", "/udp"}) {
      body["ExposedPorts"][std::to_string(port.container) + protocol] = Json::object();
    }
  }
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string exec_body(const std::vector<std::string>& command) {
  const Json body{{"Cmd", command}};
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string id_of(std::string_view answer) {
  return text(parsed(answer), "Id");
}

std::optional<Container> parse_container(std::string_view answer) {
  const Json whole = parsed(answer);
  const Json& state = at(whole, "State");
  if (!state.is_object()) return std::nullopt;
  return Container{.id = text(whole, "Id"),
                   .name = without_slash(text(whole, "Name")),
                   .labels = labels_of(at(at(whole, "Config"), "Labels")),
                   .state = state_of(state),
                   .process = number<int>(state, "Pid"),
                   .exit_code = number<int>(state, "ExitCode"),
                   .out_of_memory = truth(state, "OOMKilled"),
                   .error = text(state, "Error"),
                   .sdk_host = variable(at(at(whole, "Config"), "Env"), "AGONES_SDK_GRPC_HOST"),
                   .sdk_ports = sdk_ports_of(at(at(whole, "Config"), "Env")),
                   .has_own_network = text(at(whole, "HostConfig"), "NetworkMode") != "host"};
}

std::optional<std::vector<Container>> parse_containers(std::string_view answer) {
  const Json whole = parsed(answer);
  if (!whole.is_array()) return std::nullopt;
  std::vector<Container> all;
  for (const Json& each : whole) {
    const Json& names = at(each, "Names");
    if (!names.is_array() || names.empty() || !names[0].is_string()) continue;
    Container container;
    container.id = text(each, "Id");
    container.name = without_slash(names[0].get<std::string>());
    container.labels = labels_of(at(each, "Labels"));
    container.state = known_state(text(each, "State")).value_or(ContainerState::unknown);
    all.push_back(std::move(container));
  }
  return all;
}

std::string warnings_of(std::string_view answer) {
  const Json whole = parsed(answer);
  std::string all;
  for (const Json& each : at(whole, "Warnings")) {
    if (!each.is_string()) continue;
    all += (all.empty() ? "" : "; ") + each.get<std::string>();
  }
  return printable(std::string_view{all}.substr(0, most_message));
}

std::string registry_of(std::string_view image) {
  const std::string_view first = image.substr(0, image.find('/'));
  const bool is_host =
      first.size() < image.size() &&
      (first == "localhost" || first.find_first_of(".:") != std::string_view::npos);
  return is_host ? std::string{first} : "docker.io";
}

std::string error_message(std::string_view answer) {
  const std::string said = text(parsed(answer), "message");
  return printable(std::string_view{said.empty() ? answer : said}.substr(0, most_message));
}

std::optional<EngineEvent> parse_event(std::string_view line) {
  const Json whole = parsed(line);
  const Json& attributes = at(at(whole, "Actor"), "Attributes");
  EngineEvent event{.name = text(attributes, "name"),
                    .labels = labels_of(attributes),
                    .action = dockers_word(text(whole, "Action")),
                    .exit_code = {},
                    .second = number<std::int64_t>(whole, "time")};
  if (event.name.empty() || event.action.empty()) return std::nullopt;
  std::string code = text(attributes, "exitCode");
  if (code.empty() && event.action == "die") code = text(attributes, "containerExitCode");
  int value = 0;
  const auto read = std::from_chars(code.data(), code.data() + code.size(), value);
  if (!code.empty() && read.ec == std::errc{}) event.exit_code = value;
  return event;
}

std::optional<PullNews> parse_pull(std::string_view line) {
  const Json whole = parsed(line);
  if (!whole.is_object()) return std::nullopt;
  const Json& progress = at(whole, "progressDetail");
  return PullNews{.status = printable(text(whole, "status").substr(0, most_message)),
                  .layer = printable(text(whole, "id").substr(0, most_message)),
                  .bytes = number<std::uint64_t>(progress, "current"),
                  .all = number<std::uint64_t>(progress, "total"),
                  .error = printable(text(whole, "error").substr(0, most_message))};
}

std::string subnet_of(std::string_view answer) {
  const Json whole = parsed(answer);
  const Json& podmans = at(whole, "subnets");
  const Json& ranges = podmans.is_array() ? podmans : at(at(whole, "IPAM"), "Config");
  if (!ranges.is_array()) return {};
  for (const Json& each : ranges) {
    const std::string subnet = text(each, podmans.is_array() ? "subnet" : "Subnet");
    if (subnet.find('.') != std::string::npos) return subnet.substr(0, subnet.find('/'));
  }
  return {};
}

std::vector<std::string> Lines::put(std::string_view piece) {
  std::vector<std::string> done;
  for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
    if (!too_long_ && begun_.size() + end <= longest) {
      done.push_back(begun_ + std::string{piece.substr(0, end)});
      if (done.back().ends_with('\r')) done.back().pop_back();
    }
    begun_.clear();
    too_long_ = false;
    piece.remove_prefix(end + 1);
  }
  too_long_ = too_long_ || begun_.size() + piece.size() > longest;
  if (too_long_) {
    begun_.clear();
  } else {
    begun_ += piece;
  }
  return done;
}

std::string LogReader::put(std::string_view piece) {
  constexpr std::size_t head_bytes = 8;
  constexpr std::size_t size_at = 4;
  if (terminal_) return std::string{piece};
  std::string written;
  while (!piece.empty()) {
    if (left_ == 0) {
      const auto some = piece.substr(0, head_bytes - head_.size());
      head_ += some;
      piece.remove_prefix(some.size());
      if (head_.size() < head_bytes) break;
      for (std::size_t i = size_at; i < head_bytes; ++i) {
        left_ = left_ << 8U | static_cast<unsigned char>(head_[i]);
      }
      head_.clear();
    }
    const auto some = piece.substr(0, left_);
    written += some;
    left_ -= static_cast<std::uint32_t>(some.size());
    piece.remove_prefix(some.size());
  }
  return written;
}

}  // namespace fixkeep::worker::containers
