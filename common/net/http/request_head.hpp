// Checks the head of a request before its use and reads the facts about its client.
//
// Beast reads lines. RFC 9112 asks more of a server. A request that a server on the way could frame
// differently (request smuggling) is refused (6.1, 6.3, 11.2). A request without exactly one
// readable host is refused too (3.2). Every form of a target is taken (3.2.1 to 3.2.4): clients
// that take this server for a proxy send the absolute form.
//
// Thread rule: free functions. Bounds: the head. Its reader bounds it. Errors: HttpRefusal. Fault
// model: the bytes are a stranger's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

inline constexpr unsigned http_1_1 = 11;  // the value of HttpRequest::version()

// Why a request is refused in the words of problem().
struct HttpRefusal {
  unsigned status = 400;
  std::string_view type;
  std::string detail;
  bool of_head = false;                 // the request is HEAD, so its answer has no body
  std::optional<std::string> origin{};  // origin in the head; no value: the head was not read
};

[[nodiscard]] HttpRefusal malformed(std::string detail);

// `chunked`: Beast takes the body for chunks. `encrypted`: the connection speaks TLS.
[[nodiscard]] std::optional<HttpRefusal> refusal_of(const HttpRequest& request, bool chunked,
                                                    bool encrypted);

// Leaves a target for the search of routes. An absolute form becomes its path and its host replaces
// the Host of the head (3.2.2). In the path a byte that may stand for itself is decoded:
// "lists/maps%3AaddValue" is "lists/maps:addValue". REQUIRES: it is not refused.
void normalize_target(HttpRequest& request);

}  // namespace fixkeep::net
