#include "worker/runner/containers/found_containers.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>
#include <utility>

#include "common/obs/log.hpp"
#include "worker/runner/containers/container_calls.hpp"
#include "worker/runner/containers/container_sdk.hpp"
#include "worker/runner/containers/engine_texts.hpp"
#include "worker/sdk/listeners.hpp"

namespace fixkeep::worker::containers {

namespace {

// Returns the group's name. If the group has no name, returns its number.
std::string group_of(const struct stat& file) {
  std::array<char, 4096> buffer{};
  struct group entry {};
  struct group* found = nullptr;
  ::getgrgid_r(file.st_gid, &entry, buffer.data(), buffer.size(), &found);
  return found == nullptr ? std::to_string(file.st_gid) : std::string{found->gr_name};
}

// Advice to the worker's operator.
struct Remedy {
  std::string words;     // empty: the socket is usable
  bool may_come = true;  // waiting may also help
};

Remedy remedy_for(const std::string& socket) {
  struct stat file {};
  if (::stat(socket.c_str(), &file) != 0) {
    return {
        "start the engine, mount its socket here if this is a container, or say in "
        "rooms.engine_socket where it is",
        errno == ENOENT};
  }
  if (!S_ISSOCK(file.st_mode)) return {"it is no socket", false};
  if (::faccessat(AT_FDCWD, socket.c_str(), R_OK | W_OK, AT_EACCESS) == 0) return {};
  return {"the worker's user has to be in the group " + group_of(file) +
              ", which makes it root on this machine",
          false};
}

}  // namespace

std::string FoundContainers::look() {
  EngineClient::Answer answer;
  const auto until = std::chrono::steady_clock::now() + longest_wait;
  for (bool told = false;; told = true) {
    net::HttpCall call;
    call.target = list_target(owner_.cluster, owner_.worker);
    answer = ask_engine_and_wait(engine_, std::move(call), look_limit);
    if (answer.status != 0 || std::chrono::steady_clock::now() > until) break;
    if (!remedy_for(engine_.socket).may_come) break;
    if (!told) {
      obs::log_warning("waiting for the container engine",
                       {{"socket", engine_.socket}, {"reason", answer.body}});
    }
    std::this_thread::sleep_for(between_looks);  // the engine may also be starting
  }
  auto all = answer.status == 200 ? parse_containers(answer.body) : std::nullopt;
  if (!all) {
    const std::string remedy = answer.status == 0 ? remedy_for(engine_.socket).words : "";
    return "cannot use the container engine at " + engine_.socket + ": " +
           (answer.status == 0 ? answer.body : error_message(answer.body)) +
           (remedy.empty() ? "" : "; " + remedy);
  }
  names_.clear();
  rooms_.clear();
  for (Container& each : *all) {
    names_.push_back(each.name);
    const std::string room = each.labels.room;
    rooms_.insert_or_assign(room, std::move(each));
  }
  return {};
}

const Container* FoundContainers::of_room(const std::string& room) const {
  const auto found = rooms_.find(room);
  return found == rooms_.end() ? nullptr : &found->second;
}

std::vector<std::string> FoundContainers::names() const {
  return names_;
}

std::optional<std::vector<process::Descriptor>> FoundContainers::listeners_of(
    const std::string& room) const {
  const Container* const known = of_room(room);
  if (known == nullptr || known->state == ContainerState::exited) return std::nullopt;
  net::HttpCall call;
  call.target = container_target(known->name, "json");
  const auto answer = ask_engine_patiently(engine_, call, look_limit);
  const auto shown = answer.status == 200 ? parse_container(answer.body) : std::nullopt;
  if (!shown) return std::nullopt;
  if (shown->has_own_network && shown->sdk_host == loopback_name) {
    if (shown->state == ContainerState::created) return std::vector<process::Descriptor>{};
    auto opened = listen_inside(*shown, shown->sdk_ports);
    if (!opened) return std::nullopt;
    return std::move(*opened);
  }
  std::vector<process::Descriptor> sockets;
  for (const std::uint16_t port : shown->sdk_ports) {
    auto opened = open_listeners(port, shown->sdk_host);
    if (!opened) return std::nullopt;
    for (auto& socket : opened->sockets) sockets.push_back(std::move(socket));
  }
  return sockets;
}

}  // namespace fixkeep::worker::containers
