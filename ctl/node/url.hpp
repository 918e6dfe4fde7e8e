// The address at which a node listens for operators, as they type it. Thread rule: a value and a
// free function. Errors: one sentence that names the necessary change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace fixkeep::ctl {

struct NodeUrl {
  std::string host;  // an IPv6 address has no brackets here
  std::uint16_t port = 0;
  bool https = false;

  friend bool operator==(const NodeUrl&, const NodeUrl&) = default;
};

// Accepts "http://m1:8181", "https://m1:8181" or "m1:8181" (http), also with a slash at the end.
[[nodiscard]] std::variant<NodeUrl, std::string> parse_node_url(std::string_view text);
[[nodiscard]] std::string to_string(const NodeUrl& url);

}  // namespace fixkeep::ctl
