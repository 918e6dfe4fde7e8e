// Reads how long a client wants to wait for an answer: "Prefer: wait=25" (RFC 7240).
// Thread rule: free function. Errors: none; an unreadable number counts as no wait.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "common/net/http/server.hpp"

namespace fixkeep::master {

// Returns the wait, at most `longest`. Zero: the client wants an answer now.
[[nodiscard]] inline std::chrono::milliseconds preferred_wait(const net::HttpRequest& request,
                                                              std::chrono::milliseconds longest) {
  const auto field = request["Prefer"];
  const std::string_view text{field.data(), field.size()};
  const auto at = text.find("wait=");
  std::uint32_t seconds = 0;
  if (at != std::string_view::npos) {
    const std::string_view number = text.substr(at + 5);
    const auto read = std::from_chars(number.data(), number.data() + number.size(), seconds);
    if (read.ec == std::errc::result_out_of_range) return longest;
  }
  return std::min<std::chrono::milliseconds>(std::chrono::seconds{seconds}, longest);
}

}  // namespace fixkeep::master
