// Which pages in browsers may ask a server of another origin than their own: the CORS protocol of
// the Fetch standard (fetch.spec.whatwg.org, 3.3).
//
// A browser shows a page the answer of another origin only if the answer names the page's origin,
// and before it sends JSON it asks for leave with a preflight, a request of OPTIONS. Whoever may
// ask is in HttpOptions::allowed_origins. No answer allows credentials, so that "*" gives a page
// nothing that any other client could not ask for.
//
// Thread rule: free functions. Bounds: the origins that are configured, each compared once a
// request. Errors: none; a page of an origin that is not allowed gets what clients without an
// origin get, and its browser keeps it from the page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

inline constexpr std::string_view every_origin = "*";

// Lines for the head of any answer to `request`, each with CRLF before it; empty if no origin is
// allowed. They tell caches that the answer depends on the origin, whatever it is.
[[nodiscard]] std::string cross_origin_fields(const HttpRequest& request,
                                              const std::vector<std::string>& allowed);

// The answer to a preflight of an allowed origin; none: it is another request, or another origin.
[[nodiscard]] std::optional<HttpAnswer> preflight_answer(const HttpRequest& request,
                                                         const std::vector<std::string>& allowed);

}  // namespace fixkeep::net
