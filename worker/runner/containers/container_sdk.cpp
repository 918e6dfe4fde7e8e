#include "worker/runner/containers/container_sdk.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "common/net/http/client.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/containers/engine_client.hpp"
#include "worker/runner/containers/engine_texts.hpp"
#include "worker/sdk/listeners.hpp"
#include "worker/sdk/usual_ports.hpp"

namespace fixkeep::worker::containers {
namespace {

using boost::system::error_code;

constexpr std::chrono::seconds bridge_limit{5};
constexpr std::uint16_t any_port = 9;  // packets are never sent there

error_code last_error() {
  return {errno, boost::system::system_category()};
}

// Runs an action on a temporary thread, which first enters another network.
error_code in_network(const process::Descriptor& network, auto action) {
  error_code failed;
  std::thread{[&] {
    if (::setns(network.get(), CLONE_NEWNET) != 0) {
      failed = last_error();
    } else {
      action();
    }
  }}.join();
  return failed;
}

// Returns the open folder of the process. When the process has ended, this folder is empty, even if
// another process gets the number.
process::Descriptor folder_of(pid_t number) {
  const std::string path = "/proc/" + std::to_string(number);
  return process::Descriptor{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
}

process::Descriptor open_in(const process::Descriptor& folder, const char* name) {
  return process::Descriptor{::openat(folder.get(), name, O_RDONLY | O_CLOEXEC)};
}

// Returns whether the process is in the container: its control groups' path contains the id.
bool is_of(const process::Descriptor& folder, const std::string& id) {
  const auto file = open_in(folder, "cgroup");
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 1; file && got > 0;) {
    got = ::read(file.get(), buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return !id.empty() && text.find(id) != std::string::npos;
}

// Returns 0 if this worker does not see the process.
pid_t engine_process(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return 0;
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  const process::Descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known =
      ::connect(socket.get(), std::bit_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return known ? peer.pid : 0;
}

// Tries to enter the engine's own network. If this succeeds, the worker can also enter the networks
// of the engine's containers.
bool may_enter_networks_of(pid_t engine) {
  if (engine <= 0) return false;
  const auto network = open_in(folder_of(engine), "ns/net");
  return network && !in_network(network, [] {});
}

// Returns the source address of packets to the network. Empty: no route leads there.
std::string own_address_in(const std::string& subnet) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(any_port);
  if (::inet_pton(AF_INET, subnet.c_str(), &address.sin_addr) != 1) return {};
  address.sin_addr.s_addr = htonl(ntohl(address.sin_addr.s_addr) + 1);
  const process::Descriptor socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  auto* const generic = std::bit_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  std::array<char, INET_ADDRSTRLEN> text{};
  const bool known = ::connect(socket.get(), generic, size) == 0 &&
                     ::getsockname(socket.get(), generic, &size) == 0 &&
                     ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size()) != nullptr;
  return known ? text.data() : std::string{};
}

}  // namespace

void ContainerSdk::look(const EnginePlace& engine) {
  may_enter_ = may_enter_networks_of(engine_process(engine.socket));
  if (may_enter_) return;
  net::HttpCall call;
  call.target = network_target(engine.dialect.bridge);
  const auto answer = ask_engine_patiently(engine, call, bridge_limit);
  if (answer.status == 200) bridge_address_ = own_address_in(subnet_of(answer.body));
  if (!bridge_address_.empty()) return;
  obs::log_warning("games in a bridge network will not reach their SDK",
                   {{"reason", "this worker may not enter it, and has no address in it"}});
}

LocalRooms::SdkPlace ContainerSdk::place_for(const std::vector<PublishedPort>& published) const {
  if (!may_enter_ && bridge_address_.empty()) return {};
  if (!may_enter_) return {.host = bridge_address_};
  return {.inside = sdk_ports_beside(published)};
}

std::vector<std::uint16_t> sdk_ports_beside(const std::vector<PublishedPort>& published) {
  std::vector<std::uint16_t> ports;
  for (std::uint16_t port : {usual_rest_port, usual_grpc_port}) {
    const auto is_taken = [&] {
      return std::find(ports.begin(), ports.end(), port) != ports.end() ||
             std::any_of(published.begin(), published.end(),
                         [&](const auto& each) { return each.container == port; });
    };
    while (is_taken()) --port;
    ports.push_back(port);
  }
  return ports;
}

Result<std::vector<process::Descriptor>> listen_inside(const Container& container,
                                                       const std::vector<std::uint16_t>& ports) {
  const auto process = folder_of(container.process);
  const auto network = open_in(process, "ns/net");
  if (!network) return last_error();
  if (!is_of(process, container.id)) return make_error_code(boost::system::errc::no_such_process);
  std::vector<process::Descriptor> sockets;
  error_code refused;
  const auto failed = in_network(network, [&] {
    for (const std::uint16_t port : ports) {
      auto opened = open_listeners(port);
      if (!opened) {
        refused = opened.error();
        return;
      }
      for (auto& socket : opened->sockets) sockets.push_back(std::move(socket));
    }
  });
  if (failed) return failed;
  if (refused) return refused;
  return sockets;
}

}  // namespace fixkeep::worker::containers
