// Decides which web pages may ask a server of another origin: the CORS protocol of the Fetch
// standard (fetch.spec.whatwg.org 3.3).
//
// A browser shows a page the answer of another origin only if the answer names the page's origin.
// Before it sends JSON it asks for permission with a preflight (an OPTIONS request).
// HttpOptions::allowed_origins has the permitted pages. HttpOptions::allowed_headers has the fields
// of their requests beside ours: tools that watch pages add theirs to every request. No answer
// allows credentials: "*" gives a page no more than any other client can get.
//
// A browser hides the answer from a page that is not allowed but sends some requests without a
// preflight. A match request would take a seat. A public server thus refuses pages of origins that
// are not allowed (refuse_page).
//
// Thread rule: free functions. Bounds: the configured origins. Each is compared once a request.
// Errors: 403 foreign-page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

inline constexpr std::string_view every_origin = "*";
inline constexpr std::string_view every_header = "*";

// Lines for the head of an answer to a request of a page of `origin`. Each has CRLF before it.
// Empty if no origin is allowed. They tell caches that the answer depends on the origin.
[[nodiscard]] std::string cross_origin_fields(std::string_view origin,
                                              const std::vector<std::string>& allowed);
// The same for the refusal of a request without a readable head. It only tells what is wrong with
// the bytes. Any page may read it.
[[nodiscard]] std::string cross_origin_fields_of_unknown(const std::vector<std::string>& allowed);

// Further lines for the answer to a preflight of an allowed origin. No value: another request or
// another origin.
[[nodiscard]] std::optional<std::string> preflight_fields(const HttpRequest& request,
                                                          const HttpOptions& options);

// The request has no origin or an origin equal to its host.
[[nodiscard]] bool names_its_own_host(const HttpRequest& request);

// The answer to a page of another origin that is not allowed. No value: it is
// allowed. A proxy may change the host of a page's own server; Fetch Metadata decides then.
[[nodiscard]] std::optional<HttpAnswer> refuse_page(const HttpRequest& request,
                                                    const std::vector<std::string>& allowed);

}  // namespace fixkeep::net
