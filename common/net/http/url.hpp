// Reads the URL of a foreign HTTP server, as in a configuration.
// Thread rule: free function. Errors: no value if the URL is malformed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixkeep::net {

struct HttpUrl {
  bool https = false;
  std::string host;  // a name or an address; IPv6 without brackets
  std::uint16_t port = 0;
  std::string path;

  friend bool operator==(const HttpUrl&, const HttpUrl&) = default;
};

// Reads a URL with all parts, as "http://127.0.0.1:4318/v1/traces".
[[nodiscard]] std::optional<HttpUrl> parse_http_url(std::string_view text);

}  // namespace fixkeep::net
