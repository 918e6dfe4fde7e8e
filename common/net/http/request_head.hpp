// The head of a request is checked here before anybody acts on it, and what it says of its client
// is read.
//
// Beast reads lines. RFC 9112 asks more of a server: a request that another server on the way could
// frame differently (request smuggling) is refused (6.1, 6.3, 11.2), so is one that does not say
// once, in a way that can be read, for which host it is (3.2), and every form of a target is taken
// (3.2.1 to 3.2.4): the absolute form is what a client sends that takes this server for a proxy.
//
// Thread rule: free functions. Bounds: the head, which its reader has bounded. Errors: HttpRefusal.
// Fault model: the bytes are a stranger's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

inline constexpr unsigned http_1_1 = 11;  // as HttpRequest::version() has it

// Why a request is refused, in the words of problem().
struct HttpRefusal {
  unsigned status = 400;
  std::string_view type;
  std::string detail;
  bool of_head = false;                 // the request is HEAD, so its answer has no body
  std::optional<std::string> origin{};  // what its head says; none: its head was not read
};

[[nodiscard]] HttpRefusal malformed(std::string detail);

// `chunked`: Beast takes the body for chunks. `encrypted`: the connection speaks TLS.
[[nodiscard]] std::optional<HttpRefusal> refusal_of(const HttpRequest& request, bool chunked,
                                                    bool encrypted);

// Leaves a target by which routes can be found. One in absolute form becomes its path, and Host
// what the target says, whatever the client has said there (3.2.2). In the path, a byte that may
// stand for itself does: "lists/maps%3AaddValue" is "lists/maps:addValue". REQUIRES: it is not
// refused.
void normalize_target(HttpRequest& request);

}  // namespace fixkeep::net
