#include "common/net/http/cross_origin.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>

namespace fixkeep::net {
namespace {

constexpr std::string_view requested_method = "Access-Control-Request-Method";

// For how long a browser need not ask for leave again; the most that Chromium takes.
constexpr std::string_view leave =
    "\r\nAccess-Control-Allow-Methods: GET, HEAD, POST, DELETE"
    "\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, X-Request-Id, traceparent, "
    "tracestate"
    "\r\nAccess-Control-Max-Age: 7200";

// The page may be told this, "*" or its origin; empty: nothing.
std::string_view allowed_of(const HttpRequest& request, const std::vector<std::string>& allowed) {
  const auto origin = request[http::field::origin];
  if (origin.empty()) return {};
  const std::string_view page{origin.data(), origin.size()};
  for (const std::string& one : allowed) {
    if (one == every_origin || one == page) return one;
  }
  return {};
}

// The part of "http://127.0.0.1:8181" behind the scheme; "null" has none.
std::string_view authority_of(std::string_view origin) {
  const auto at = origin.find("://");
  return at == std::string_view::npos ? std::string_view{} : origin.substr(at + 3);
}

}  // namespace

std::string cross_origin_fields(const HttpRequest& request,
                                const std::vector<std::string>& allowed) {
  if (allowed.empty()) return {};
  std::string fields{"\r\nVary: Origin"};
  const auto page = allowed_of(request, allowed);
  if (page.empty()) return fields;
  fields += "\r\nAccess-Control-Allow-Origin: ";
  fields += page;
  // A page sees few of an answer's fields unless they are named here.
  fields += "\r\nAccess-Control-Expose-Headers: Retry-After, X-Request-Id";
  return fields;
}

std::optional<HttpAnswer> preflight_answer(const HttpRequest& request,
                                           const std::vector<std::string>& allowed) {
  if (request.method() != http::verb::options || request.count(requested_method) == 0 ||
      allowed_of(request, allowed).empty()) {
    return std::nullopt;
  }
  return HttpAnswer{.status = 204, .body = {}, .fields = leave};
}

bool names_its_own_host(const HttpRequest& request) {
  const auto origin = request.find(http::field::origin);
  return origin == request.end() ||
         boost::beast::iequals(authority_of(origin->value()), request[http::field::host]);
}

std::optional<HttpAnswer> refuse_page(const HttpRequest& request,
                                      const std::vector<std::string>& allowed) {
  if (names_its_own_host(request) || request["Sec-Fetch-Site"] == "same-origin" ||
      !allowed_of(request, allowed).empty()) {
    return std::nullopt;
  }
  return problem(403, "foreign-page", "Not from a page of this origin",
                 "http.allowed_origins of this master does not have the page's origin.");
}

}  // namespace fixkeep::net
