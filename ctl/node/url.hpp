// The address of a node's listener for operators as an operator types it.
// Thread rule: a value and a free function. Errors: one sentence that says what to change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace fixkeep::ctl {

struct NodeUrl {
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = 0;
  bool https = false;

  friend bool operator==(const NodeUrl&, const NodeUrl&) = default;
};

// "http://m1:8181", "https://m1:8181" or "m1:8181" for http; a slash may follow.
[[nodiscard]] std::variant<NodeUrl, std::string> parse_node_url(std::string_view text);
[[nodiscard]] std::string to_string(const NodeUrl& url);

}  // namespace fixkeep::ctl
