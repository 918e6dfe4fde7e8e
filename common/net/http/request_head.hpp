// Checks the head of a request before its use, and reads the facts about its client.
//
// Beast reads lines, but RFC 9112 requires more. A request is refused if a proxy and this server
// could disagree about its end (request smuggling: 6.1, 6.3, 11.2). A request of HTTP/1.1 without
// exactly one readable host is refused too (3.2). Paths, "*" and absolute targets are accepted
// (3.2.1, 3.2.4, 3.2.2): clients that believe this server to be a proxy send the absolute form.
//
// Thread rule: free functions. Bounds: the reader of the head limits the head. Errors: HttpRefusal.
// Fault model: the bytes come from strangers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

inline constexpr unsigned http_1_1 = 11;  // the value of HttpRequest::version()

// The reason for a refusal, as arguments of problem().
struct HttpRefusal {
  unsigned status = 400;
  std::string_view type;
  std::string detail;
  bool of_head = false;                 // true for HEAD: the answer has no body
  std::optional<std::string> origin{};  // request's origin; no value: the head was not read
};

[[nodiscard]] HttpRefusal malformed(std::string detail);

// Returns the refusal; no value for an acceptable request. `chunked`: Beast reads the body as
// chunks. `encrypted`: the connection uses TLS.
[[nodiscard]] std::optional<HttpRefusal> refusal_of(const HttpRequest& request, bool chunked,
                                                    bool encrypted);

// Prepares the target for the search of routes. An absolute form becomes its path, and its host
// replaces the Host field (3.2.2). In the path, an encoded byte is decoded if it is allowed
// unencoded: "lists/maps%3AaddValue" becomes "lists/maps:addValue". REQUIRES: the request is not
// refused.
void normalize_target(HttpRequest& request);

}  // namespace fixkeep::net
