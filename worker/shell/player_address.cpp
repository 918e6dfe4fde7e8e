#include "worker/shell/player_address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/config/address.hpp"
#include "common/config/sections.hpp"
#include "worker/runner/runners.hpp"

namespace fixkeep::worker {
namespace {

using config::CrossCheck;
using config::Document;
using config::Json;
using config::Problems;

constexpr std::size_t longest_name = 253;  // RFC 1035, like the labels
constexpr std::size_t longest_label = 63;

enum class Reach : std::uint8_t { everywhere, network, machine, listener, many };

// Returns from which machines an IP address can be reached. Nullopt: the text is not an IP address.
std::optional<Reach> reach_of(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    if (bytes[0] == 0) return Reach::listener;
    if (bytes[0] == 127) return Reach::machine;
    if (bytes[0] == 169 && bytes[1] == 254) return Reach::network;
    return bytes[0] >= 224 ? Reach::many : Reach::everywhere;
  }
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  if (IN6_IS_ADDR_V4MAPPED(reinterpret_cast<const in6_addr*>(bytes.data()))) {
    return reach_of(fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]));
  }
  if (bytes[0] == 0xff) return Reach::many;
  if (bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80U) return Reach::network;
  if (std::any_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t byte) { return byte != 0; })) {
    return Reach::everywhere;
  }
  if (bytes.back() == 0) return Reach::listener;
  return bytes.back() == 1 ? Reach::machine : Reach::everywhere;
}

bool is_label(std::string_view label) {
  if (label.empty() || label.size() > longest_label) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(), [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 || c == '-' || c == '_';
  });
}

// Accepts all letters of other alphabets, because the name's lookup checks them. Refuses a number
// as the last part, because URL parsers would read the name as an IPv4 address (WHATWG URL).
bool is_host_name(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty() || name.size() > longest_name) return false;
  std::string_view label;
  for (auto rest = name;;) {
    const auto dot = std::min(rest.find('.'), rest.size());
    label = rest.substr(0, dot);
    if (!is_label(label)) return false;
    if (dot == rest.size()) break;
    rest.remove_prefix(dot + 1);
  }
  return !std::all_of(label.begin(), label.end(),
                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

bool is_of_this_machine(const std::string& host) {
  return host == "localhost" || reach_of(host) == Reach::machine;
}

std::string why_no_player_comes(const std::string& address) {
  const auto is = ", is \"" + address + "\"";
  if (const auto with_port = config::parse_address(address)) {
    return "must have no port, since each room has its own of rooms.ports" + is + ": write \"" +
           with_port->host + "\"";
  }
  if (address.starts_with('[') && address.ends_with(']')) {
    const auto inner = address.substr(1, address.size() - 2);
    if (inner.find(':') != std::string::npos && reach_of(inner)) {
      return "must have no brackets" + is + ": write \"" + inner + "\"";
    }
  }
  const auto reach = reach_of(address);
  if (reach == Reach::listener) {
    return "must be an address that players can connect to" + is +
           ", by which servers listen on every address of a machine: write the one of this machine "
           "that players reach, or its name";
  }
  if (reach == Reach::many) {
    return "must be the address of one machine" + is + ", which belongs to a group of machines";
  }
  if (reach || is_host_name(address)) return {};
  return "must be a host name or an IP address, without a port" + is;
}

void check_player_address(const Document& document, Problems& problems, Problems& doubts) {
  constexpr auto key = "worker.address";
  CrossCheck check{document, problems};
  if (!check.can_judge({key})) return;
  const auto& address = config::find(document.root(), key)->get_ref<const std::string&>();
  if (auto why = why_no_player_comes(address); !why.empty()) return check.report(key, why);
  if (reach_of(address) == Reach::network) {
    doubts.push_back(document.problem(
        key, "is \"" + address +
                 "\", an address of the local link, which players elsewhere do not "
                 "reach: write what they reach"));
  }
  if (!is_of_this_machine(address) || !check.can_judge({"masters"})) return;
  for (const Json& master : *config::find(document.root(), "masters")) {
    const auto other = config::parse_address(master.at("address").get<std::string>());
    if (!other || is_of_this_machine(other->host)) continue;
    doubts.push_back(
        document.problem(key, "is \"" + address +
                                  "\", which is the players' own machine for each of them, and "
                                  "masters are elsewhere: write what players reach"));
    return;
  }
}

void check_ports_of_rooms(const Document& document, const Problems& problems, Problems& doubts) {
  Problems known = problems;
  CrossCheck check{document, known};
  if (!check.can_judge(
          {"rooms.ports.first", "rooms.ports.last", "rooms.limit", "rooms.runner", "games"})) {
    return;
  }
  const auto& runner = config::find(document.root(), "rooms.runner")->get_ref<const std::string&>();
  if (!find_runner(runner)->wants_ports) return;
  const auto limit = check.number("rooms.limit");
  const auto ports = check.number("rooms.ports.last") - check.number("rooms.ports.first") + 1;
  std::int64_t each = 1;
  for (const Json& game : *config::find(document.root(), "games")) {
    each = std::max(each, 1 + static_cast<std::int64_t>(game.at("ports").size()) +
                              game.value("neighbour_ports", std::int64_t{0}));
  }
  if (limit * each <= ports) return;
  doubts.push_back(document.problem(
      "rooms.ports.last",
      fmt::format("makes {} ports, and rooms.limit ({}) rooms of {} each need {}: players get "
                  "workers-full without a free port; widen rooms.ports or lower rooms.limit to {}",
                  ports, limit, each, limit * each, std::max<std::int64_t>(ports / each, 1))));
}

}  // namespace fixkeep::worker
