#include "common/net/http/cross_origin.hpp"

#include <boost/beast/core/string.hpp>

namespace fixkeep::net {
namespace {

constexpr std::string_view requested_method = "Access-Control-Request-Method";
constexpr std::string_view requested_headers = "Access-Control-Request-Headers";

// Answers a preflight. Max-Age says how long a browser may store the permission: Chromium's
// maximum.
constexpr std::string_view leave =
    "\r\nAccess-Control-Allow-Methods: GET, HEAD, POST, DELETE"
    "\r\nAccess-Control-Max-Age: 7200"
    "\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, If-None-Match, Last-Event-ID, "
    "Prefer, "
    "X-Request-Id, traceparent, tracestate, baggage";

// Without this line, browsers hide these fields of an answer from pages.
constexpr std::string_view exposed =
    "\r\nAccess-Control-Expose-Headers: ETag, Location, Retry-After, X-Request-Id";

std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// Returns the origin that the answer names as allowed: "*" or the page's own. Empty: the page is
// not allowed.
std::string_view allowed_of(std::string_view page, const std::vector<std::string>& allowed) {
  if (page.empty()) return {};
  for (const std::string& one : allowed) {
    if (one == every_origin || one == page) return one;
  }
  return {};
}

// Returns "127.0.0.1:8181" for "http://127.0.0.1:8181"; "null" has no authority.
std::string_view authority_of(std::string_view origin) {
  const auto at = origin.find("://");
  return at == std::string_view::npos ? std::string_view{} : origin.substr(at + 3);
}

// An origin omits the usual port, but a proxy may write this port into Host.
std::string_view without_usual_port(std::string_view host, std::string_view origin) {
  const std::string_view port = origin.starts_with("https:") ? ":443" : ":80";
  return host.ends_with(port) ? host.substr(0, host.size() - port.size()) : host;
}

}  // namespace

std::string cross_origin_fields(std::string_view origin, const std::vector<std::string>& allowed) {
  if (allowed.empty()) return {};
  std::string fields{"\r\nVary: Origin"};
  const auto page = allowed_of(origin, allowed);
  if (page.empty()) return fields;
  fields += "\r\nAccess-Control-Allow-Origin: ";
  fields += page;
  fields += exposed;
  return fields;
}

std::string cross_origin_fields_of_unknown(const std::vector<std::string>& allowed) {
  if (allowed.empty()) return {};
  return "\r\nVary: Origin\r\nAccess-Control-Allow-Origin: *" + std::string{exposed};
}

std::optional<std::string> preflight_fields(const HttpRequest& request,
                                            const HttpOptions& options) {
  if (request.method() != http::verb::options || request.count(requested_method) == 0 ||
      allowed_of(view_of(request[http::field::origin]), options.allowed_origins).empty()) {
    return std::nullopt;
  }
  std::string fields{leave};
  // Monitoring tools add their own fields to every request of a page. The page is allowed, and any
  // other client may send any field too. "*" would not cover Authorization.
  const auto wanted = view_of(request[requested_headers]);
  if (!wanted.empty()) fields.append(", ").append(wanted);
  return fields;
}

bool names_its_own_host(const HttpRequest& request) {
  const auto origin = request.find(http::field::origin);
  if (origin == request.end()) return true;
  const auto page = view_of(origin->value());
  return boost::beast::iequals(authority_of(page),
                               without_usual_port(view_of(request[http::field::host]), page));
}

std::optional<HttpAnswer> refuse_page(const HttpRequest& request,
                                      const std::vector<std::string>& allowed) {
  if (names_its_own_host(request) || request["Sec-Fetch-Site"] == "same-origin" ||
      !allowed_of(view_of(request[http::field::origin]), allowed).empty()) {
    return std::nullopt;
  }
  return problem(403, "foreign-page", "Not from a page of this origin",
                 "http.allowed_origins of this master does not have the page's origin.");
}

}  // namespace fixkeep::net
