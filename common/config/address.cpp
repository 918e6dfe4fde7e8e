#include "common/config/address.hpp"

#include "common/config/suggestion.hpp"

namespace fixkeep::config {

std::optional<Address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  std::string_view host = text.substr(0, colon);
  if (host.front() == '[') {
    if (host.back() != ']' || host.find(':') == std::string_view::npos) return {};
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return {};  // an IPv6 address needs brackets to separate the port
  }
  if (host.empty() || host.find_first_of(" \t\r\n[]/") != std::string_view::npos) return {};
  const auto port = parse_whole<std::uint16_t>(text.substr(colon + 1));
  if (!port) return {};
  return Address{std::string{host}, *port};
}

std::string to_string(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace fixkeep::config
