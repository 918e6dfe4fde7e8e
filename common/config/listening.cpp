#include "common/config/listening.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "common/config/address.hpp"

namespace fixkeep::config {
namespace {

constexpr std::string_view listening_state = "0A";  // the state's code in /proc/net/tcp

struct Range {
  int first = 0;
  int last = -1;
  [[nodiscard]] bool has(int port) const { return first <= port && port <= last; }
};

Range local_ports() {
  Range range;
  std::ifstream{"/proc/sys/net/ipv4/ip_local_port_range"} >> range.first >> range.last;
  return range;
}

// Reads the ports that the kernel gives to no connection: "40000,41000-41010".
std::vector<Range> reserved_ports() {
  std::ifstream file{"/proc/sys/net/ipv4/ip_local_reserved_ports"};
  std::vector<Range> ranges;
  for (std::string part; std::getline(file, part, ',');) {
    Range range;
    std::istringstream text{part};
    if (!(text >> range.first)) continue;
    range.last = text.get() == '-' && text >> range.last ? range.last : range.first;
    ranges.push_back(range);
  }
  return ranges;
}

bool is_given(int port, const Range& local, const std::vector<Range>& reserved) {
  return local.has(port) &&
         std::ranges::none_of(reserved, [&](const Range& each) { return each.has(port); });
}

// Reads "0100007F:1F90", the form of 127.0.0.1:8080 in /proc/net/tcp. For IPv6 only the port is
// returned.
struct End {
  std::string address;
  int port = -1;
};
End end_of(std::string_view text) {
  End end;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return end;
  const auto number = [](std::string_view digits) {
    unsigned value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return value;
  };
  end.port = static_cast<int>(number(text.substr(colon + 1)));
  constexpr std::size_t digits_of_ipv4 = 8;
  if (colon != digits_of_ipv4) {
    end.address = "an address of IPv6";
    return end;
  }
  for (std::size_t at = digits_of_ipv4; at > 0; at -= 2) {  // bytes are in reverse order
    end.address +=
        (end.address.empty() ? "" : ".") + std::to_string(number(text.substr(at - 2, 2)));
  }
  return end;
}

constexpr std::array ports_of_nodes{"http.port", "admin.port", "ping.port", "mesh.listen",
                                    "rooms.ports"};

// Reads the ports from `value`: a number, "host:port", or a first and a last port.
std::optional<Range> ports_at(const Json& value) {
  if (value.is_number_integer()) return Range{value.get<int>(), value.get<int>()};
  if (value.is_string()) {
    const auto address = parse_address(value.get_ref<const std::string&>());
    if (!address) return {};
    return Range{address->port, address->port};
  }
  const auto* first = find(value, "first");
  const auto* last = find(value, "last");
  if (first == nullptr || last == nullptr || !first->is_number_integer() ||
      !last->is_number_integer()) {
    return {};
  }
  return Range{first->get<int>(), last->get<int>()};
}

}  // namespace

std::string connection_with(std::uint16_t port) {
  std::string other;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file{table};
    for (std::string line; std::getline(file, line);) {
      std::istringstream words{line};
      std::string number;
      std::string here;
      std::string there;
      std::string state;
      if (!(words >> number >> here >> there >> state) || end_of(here).port != port) continue;
      if (state == listening_state) return {};
      const End end = end_of(there);
      other = end.address + ':' + std::to_string(end.port);
    }
  }
  return other;
}

bool is_given_to_connections(std::uint16_t port) {
  return is_given(port, local_ports(), reserved_ports());
}

std::vector<std::string> keys_of_ports_given_to_connections(const Json& root) {
  const Range local = local_ports();
  const auto reserved = reserved_ports();
  std::vector<std::string> keys;
  for (const char* key : ports_of_nodes) {
    const Json* value = find(root, key);
    const auto ports = value == nullptr ? std::nullopt : ports_at(*value);
    if (!ports) continue;
    for (int port = std::max(ports->first, local.first); port <= std::min(ports->last, local.last);
         ++port) {
      if (!is_given(port, local, reserved)) continue;
      keys.emplace_back(key);
      break;
    }
  }
  return keys;
}

void doubt_ports(const Document& document, Problems& doubts) {
  for (const auto& key : keys_of_ports_given_to_connections(document.root())) {
    doubts.push_back(document.problem(
        key,
        "is in net.ipv4.ip_local_port_range: a connection of this machine may take the port first; "
        "choose a port outside, or add it to net.ipv4.ip_local_reserved_ports"));
  }
}

std::string why_not_listen(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int wrong = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (wrong != 0) return "it is no IP address";
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> endpoint{found, ::freeaddrinfo};
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return std::strerror(errno);
  // Our servers set this option too: then a connection that has just ended does not block the port.
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool listens =
      ::bind(socket, found->ai_addr, found->ai_addrlen) == 0 && ::listen(socket, 1) == 0;
  std::string reason;
  if (!listens) reason = std::strerror(errno);
  ::close(socket);
  return reason;
}

void check_listening(const Document& document, const std::string& key, const Address& at,
                     Problems& problems, Problems& doubts) {
  auto reason = why_not_listen(at.host, at.port);
  if (reason.empty()) return;
  const auto other = connection_with(at.port);
  const bool may_be_this_node = other.empty() && reason == std::strerror(EADDRINUSE);
  if (may_be_this_node) {
    reason += "; this is a mistake unless the node is running";
  } else if (!other.empty()) {
    reason += ": it is the local port of a connection to " + other +
              ", and a node waits a minute for its end (net.ipv4.ip_local_port_range)";
  }
  (may_be_this_node ? doubts : problems)
      .push_back(document.problem(key, "cannot listen on " + to_string(at) + ": " + reason));
}

}  // namespace fixkeep::config
