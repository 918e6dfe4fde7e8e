// "host:port" and "[v6]:port": the forms of addresses in a configuration.
// Thread rule: values and free functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixkeep::config {

struct Address {
  std::string host;  // a name or an IP address; an IPv6 address has no brackets here
  std::uint16_t port = 0;

  friend auto operator<=>(const Address&, const Address&) = default;
  friend bool operator==(const Address&, const Address&) = default;
};

// Accepts port 0, because port 0 means "any port" for some keys.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);
[[nodiscard]] std::string to_string(const Address& address);

}  // namespace fixkeep::config
