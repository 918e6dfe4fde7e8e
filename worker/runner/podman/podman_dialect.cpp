#include "worker/runner/podman/podman_dialect.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/percent.hpp"

namespace fixkeep::worker::podman {
namespace {

using containers::ContainerOrder;
using Json = nlohmann::json;

constexpr std::uint64_t bytes_of_mib = 1U << 20U;

// Texts in Podman's refusals, and the status that Docker has for such a refusal. The first text
// that a message contains counts.
constexpr std::array<std::pair<std::string_view, unsigned>, 12> refusals{{
    {"already in use by", 409},         // another container has this name
    {"no such container", 404},         // also while the container is being removed
    {"container state improper", 409},  // for example the container does not run
    {"image not known", 404},
    {"no such image", 404},
    {"unknown user", 400},
    {"unknown group", 400},
    {"unable to find", 400},  // user or group
    {"workdir", 400},
    {"OCI", 400},  // the program cannot be executed
    {"init binary not found", 400},
    {"address already in use", 400},  // a port
}};

std::string encoded(std::string_view text) {
  std::string out;
  append_percent_encoded(text, "-._~", out);
  return out;
}

std::map<std::string, std::string> variables(const ContainerOrder& order) {
  std::map<std::string, std::string> all;
  for (const std::string& each : order.environment) {
    const auto equals = std::min(each.find('='), each.size());
    all[each.substr(0, equals)] = each.substr(std::min(equals + 1, each.size()));
  }
  return all;
}

Json limits_of(const RoomLimits& limits) {
  Json all = Json::object();
  if (limits.memory_mib > 0) {
    const auto bytes = limits.memory_mib * bytes_of_mib;
    all["memory"] = {{"limit", bytes}, {"swap", bytes}};  // the sum of memory and swap, so no swap
  }
  if (limits.processes > 0) all["pids"] = {{"limit", limits.processes}};
  return all;
}

Json log_of(const ContainerOrder& order) {
  if (order.log_bytes == 0) return {{"driver", "none"}};
  return {{"driver", "k8s-file"}, {"size", order.log_bytes}};
}

}  // namespace

std::string specification(const ContainerOrder& order) {
  // "init" below is true, so that the game is not process 1: process 1 ignores signals for which it
  // has no handler.
  const bool own_network = order.network == containers::Network::bridge;
  Json body{{"name", order.name},
            {"image", order.image},
            {"env", variables(order)},
            {"terminal", order.terminal},
            {"labels",
             {{"fixkeep.cluster", order.labels.cluster},
              {"fixkeep.worker", order.labels.worker},
              {"fixkeep.room", order.labels.room},
              {"fixkeep.creation", order.labels.creation}}},
            {"init", true},
            {"systemd", "false"},
            {"restart_policy", "no"},
            {"cap_drop", {"all"}},
            {"no_new_privileges", true},
            {"read_only_filesystem", order.read_only},
            {"netns", {{"nsmode", own_network ? "bridge" : "host"}}},
            {"log_configuration", log_of(order)},
            {"resource_limits", limits_of(order.limits)},
            {"volumes", Json::array({{{"Name", ""}, {"Dest", containers::room_volume}}})}};
  if (!order.command.empty()) body["command"] = order.command;
  if (!order.working_folder.empty()) body["work_dir"] = order.working_folder;
  if (!order.user.empty()) body["user"] = order.user;
  if (order.read_only) {
    body["mounts"] = Json::array({{{"destination", "/tmp"},
                                   {"type", "tmpfs"},
                                   {"source", "tmpfs"},
                                   {"options", {"rw", "mode=1777"}}}});
  }
  for (const containers::PublishedPort& port : order.ports) {
    body["portmappings"].push_back({{"host_ip", order.published_at},
                                    {"host_port", port.machine},
                                    {"container_port", port.container},
                                    {"protocol", "tcp,udp"}});
  }
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string create_target(std::string_view /*name*/) {
  return "/containers/create";  // the name is in the body
}

std::string remove_target(std::string_view name) {
  return "/containers/" + encoded(name) + "?force=1&volumes=1&timeout=0";
}

std::string pull_target(std::string_view image) {
  return "/images/pull?policy=missing&reference=" + encoded(image);
}

unsigned dockers_status(unsigned status, std::string_view body) {
  if (status != 500) return status;
  for (const auto& [cause, dockers] : refusals) {
    if (body.find(cause) != std::string_view::npos) return dockers;
  }
  return status;
}

containers::Dialect dialect() {
  return {.usual_socket = usual_socket(::geteuid(), std::getenv("XDG_RUNTIME_DIR")),
          .api = "/v4.0.0/libpod",
          .bridge = "podman",
          .create_target = create_target,
          .create_body = specification,
          .remove_target = remove_target,
          .pull_target = pull_target,
          .status_of = dockers_status};
}

std::string usual_socket(unsigned uid, const char* runtime_folder) {
  const bool is_users = uid != 0 && runtime_folder != nullptr;
  return (is_users ? std::string{runtime_folder} : "/run") + "/podman/podman.sock";
}

}  // namespace fixkeep::worker::podman
