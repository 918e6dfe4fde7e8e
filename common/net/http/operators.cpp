#include "common/net/http/operators.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>
#include <string_view>

#include "common/auth/hmac.hpp"

namespace fixkeep::net {
namespace {

constexpr std::string_view bearer = "Bearer ";

HttpAnswer unauthorised(std::string_view type, std::string_view detail,
                        std::string_view challenge) {
  auto answer = problem(401, type, "Not an operator", detail);
  answer.authenticate = challenge;
  return answer;
}

// "127.0.0.1" of "127.0.0.1:8181", "::1" of "[::1]:8181".
std::string_view name_in(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

// No name server can make one of these lead elsewhere.
bool means_this_machine(std::string_view host) {
  boost::system::error_code error;
  (void)boost::asio::ip::make_address(host, error);
  return !error || boost::beast::iequals(host, "localhost");
}

// The part of "http://127.0.0.1:8181" behind the scheme; "null" has none.
std::string_view authority_of(std::string_view origin) {
  const auto at = origin.find("://");
  return at == std::string_view::npos ? std::string_view{} : origin.substr(at + 3);
}

}  // namespace

std::optional<HttpAnswer> OperatorGate::refuse(const HttpRequest& request) const {
  if (!token_.empty()) {
    const std::string_view said = request[http::field::authorization];
    if (!boost::beast::iequals(said.substr(0, bearer.size()), bearer)) {
      return unauthorised("token-needed", "This listener wants \"Authorization: Bearer TOKEN\".",
                          R"(Bearer realm="fixkeep")");
    }
    if (!auth::equal_in_constant_time(said.substr(bearer.size()), token_)) {
      return unauthorised("wrong-token",
                          "The token is another one: admin.token, or admin.token_file.",
                          R"(Bearer realm="fixkeep", error="invalid_token")");
    }
    return {};
  }
  const std::string_view host = request[http::field::host];
  if (!means_this_machine(name_in(host))) {
    return problem(403, "foreign-page", "Not from this machine",
                   "Without a token, ask under an IP address or as localhost.");
  }
  const auto origin = request.find(http::field::origin);
  if (origin != request.end() && !boost::beast::iequals(authority_of(origin->value()), host)) {
    return problem(403, "foreign-page", "Not from this machine",
                   "A page of another origin may not ask this listener.");
  }
  return {};
}

}  // namespace fixkeep::net
