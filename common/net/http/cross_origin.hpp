// Decides which web pages may send requests to a server of another origin: the CORS protocol of the
// Fetch standard (fetch.spec.whatwg.org 3.3).
//
// A page can read an answer from another origin only if the answer names the page's origin. Before
// the browser sends JSON, it asks for permission with a preflight (an OPTIONS request).
// HttpOptions::allowed_origins lists the permitted pages. They may send any request field. No
// answer allows credentials. Thus a page allowed by "*" gets no more than any other client.
//
// A browser hides the answer from a page that is not allowed. But a browser sends some requests
// without a preflight, and a match request would take a seat. Therefore a public server refuses
// pages of origins that are not allowed (refuse_page).
//
// Thread rule: free functions. Bounds: the configured origins; a request is compared with each of
// them one time. Errors: 403 foreign-page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

inline constexpr std::string_view every_origin = "*";

// Returns lines for the head of an answer to a page of `origin`, each with CRLF before it. Empty if
// the list of allowed origins is empty. The lines tell caches that the answer depends on the
// origin.
[[nodiscard]] std::string cross_origin_fields(std::string_view origin,
                                              const std::vector<std::string>& allowed);
// Returns the lines of cross_origin_fields() for the refusal of a request whose origin is
// unreadable. Any page may read this refusal, which only says what is wrong with the bytes.
[[nodiscard]] std::string cross_origin_fields_of_unknown(const std::vector<std::string>& allowed);

// Returns further lines for the answer to a preflight of an allowed origin. No value for another
// request or another origin.
[[nodiscard]] std::optional<std::string> preflight_fields(const HttpRequest& request,
                                                          const HttpOptions& options);

// Returns true if the request has no origin, or an origin equal to its host.
[[nodiscard]] bool names_its_own_host(const HttpRequest& request);

// Returns the refusal for a page of another origin that is not allowed. No value: the page is
// allowed. If a proxy changes the Host field, a page of this server looks foreign, but Fetch
// Metadata shows that the page belongs to this server.
[[nodiscard]] std::optional<HttpAnswer> refuse_page(const HttpRequest& request,
                                                    const std::vector<std::string>& allowed);

}  // namespace fixkeep::net
