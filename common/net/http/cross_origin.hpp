// Which pages in browsers may ask a server of another origin than their own: the CORS protocol of
// the Fetch standard (fetch.spec.whatwg.org, 3.3).
//
// A browser shows a page the answer of another origin only if the answer names the page's origin,
// and before it sends JSON it asks for leave with a preflight, a request of OPTIONS. Whoever may
// ask is in HttpOptions::allowed_origins, and which fields its requests may have beside ours is in
// HttpOptions::allowed_headers: tools that watch pages add theirs to every request. No answer
// allows credentials, so that "*" gives a page nothing that any other client could not ask for.
//
// A browser keeps the answer from a page that may not see it, but sends some requests without
// asking for leave, and a match request would take a seat then. So a server that anybody may ask
// refuses pages of origins that are not allowed (refuse_page).
//
// Thread rule: free functions. Bounds: the origins that are configured, each compared once a
// request. Errors: 403 foreign-page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

inline constexpr std::string_view every_origin = "*";
inline constexpr std::string_view every_header = "*";

// Lines for the head of any answer to a request of a page of `origin`, each with CRLF before it;
// empty if no origin is allowed. They tell caches that the answer depends on the origin, whatever
// it is.
[[nodiscard]] std::string cross_origin_fields(std::string_view origin,
                                              const std::vector<std::string>& allowed);
// The same for the refusal of a request whose head was not read. It says nothing but what is wrong
// with the bytes, so any page may read it.
[[nodiscard]] std::string cross_origin_fields_of_unknown(const std::vector<std::string>& allowed);

// More lines, for the answer to a preflight of an allowed origin; none: it is another request, or
// another origin.
[[nodiscard]] std::optional<std::string> preflight_fields(const HttpRequest& request,
                                                          const HttpOptions& options);

// No page asks, or one whose origin is what the request takes for its host.
[[nodiscard]] bool names_its_own_host(const HttpRequest& request);

// The answer to a page of another origin that is not allowed; none: this one may ask. A proxy may
// have changed the host of a page's own server; its browser knows better (Fetch Metadata).
[[nodiscard]] std::optional<HttpAnswer> refuse_page(const HttpRequest& request,
                                                    const std::vector<std::string>& allowed);

}  // namespace fixkeep::net
