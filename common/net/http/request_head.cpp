#include "common/net/http/request_head.hpp"

#include <algorithm>
#include <boost/asio/ip/address_v6.hpp>
#include <boost/beast/core/string.hpp>
#include <utility>

#include "common/base/percent.hpp"

namespace fixkeep::net {
namespace {

using boost::beast::iequals;

constexpr boost::beast::string_view last_coding = "chunked";
constexpr std::string_view beyond_scheme = "://";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Returns true if the character is allowed in a registered name or an IPv4 address: RFC 3986,
// 3.2.2. Percent signs are accepted without a check.
bool may_be_in_host(char c) {
  static constexpr std::string_view marks = "-._~%!$&'()*+,;=";
  const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return letter || is_digit(c) || marks.find(c) != std::string_view::npos;
}

struct Authority {
  std::string_view host;
  std::string_view port;
};

// Reads "[::1]:8080" or "play.example:8080"; no value for other text (for example with a user).
std::optional<Authority> authority_in(std::string_view text) {
  std::size_t end = std::min(text.find(':'), text.size());
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    boost::system::error_code error;
    (void)boost::asio::ip::make_address_v6(text.substr(1, end - 1), error);
    if (error) return std::nullopt;
    ++end;
  } else if (!std::all_of(text.begin(), text.begin() + end, may_be_in_host)) {
    return std::nullopt;
  }
  const auto host = text.substr(0, end);
  auto port = text.substr(end);
  if (port.empty()) return Authority{host, {}};
  port.remove_prefix(1);
  if (text[end] != ':' || !std::all_of(port.begin(), port.end(), is_digit)) return std::nullopt;
  return Authority{host, port};
}

// Beast has already refused contradicting lengths, and a length together with "chunked".
std::optional<HttpRefusal> ambiguity_of(const HttpRequest& request, bool chunked) {
  std::size_t fields = 0;
  boost::beast::string_view coding;
  bool coded = false;
  bool counted = true;
  for (const auto& field : request) {
    if (field.name() == http::field::transfer_encoding) {
      ++fields;
      coded = true;
      coding = field.value();
    } else if (field.name() == http::field::content_length) {
      ++fields;
      counted = is_number({field.value().data(), field.value().size()});
    }
  }
  if (fields > 1) {
    return malformed("The end of the body is said twice; send one Content-Length or chunks.");
  }
  if (!counted) return malformed("Content-Length is not one decimal number.");
  if (!coded) return std::nullopt;
  if (request.version() < http_1_1) {
    return malformed("HTTP/1.0 has no Transfer-Encoding; send a Content-Length.");
  }
  if (iequals(coding, last_coding)) return std::nullopt;
  if (chunked && coding.ends_with(last_coding)) {
    return HttpRefusal{.status = 501,
                       .type = "unknown-transfer-coding",
                       .detail = "This server knows no transfer coding but \"chunked\"."};
  }
  return malformed("Transfer-Encoding does not end with \"chunked\", so the body has no end.");
}

std::optional<HttpRefusal> refusal_of_host(const HttpRequest& request) {
  const auto hosts = request.count(http::field::host);
  if (hosts > 1) return malformed("Host is said more than once.");
  if (hosts == 0) {
    if (request.version() < http_1_1) return std::nullopt;
    return malformed("HTTP/1.1 needs a Host field; send one.");
  }
  const auto host = request[http::field::host];
  if (authority_in({host.data(), host.size()})) return std::nullopt;
  return malformed("Host is not the name or the address of a host, and its port.");
}

// The parts of a target in absolute form. The path may be missing.
struct AbsoluteForm {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path_and_query;
};

std::optional<AbsoluteForm> absolute_form_of(std::string_view target) {
  const auto colon = target.find(beyond_scheme);
  if (colon == 0 || colon == std::string_view::npos || target.starts_with('/')) return std::nullopt;
  const auto scheme = target.substr(0, colon);
  target.remove_prefix(colon + beyond_scheme.size());
  const auto end = std::min(target.find_first_of("/?"), target.size());
  return AbsoluteForm{scheme, target.substr(0, end), target.substr(end)};
}

std::optional<HttpRefusal> refusal_of_target(const HttpRequest& request, bool encrypted) {
  const std::string_view target{request.target().data(), request.target().size()};
  if (target.starts_with('/')) return std::nullopt;
  if (target == "*" && request.method() == http::verb::options) return std::nullopt;
  const auto absolute = absolute_form_of(target);
  if (!absolute) {
    return malformed("The target is neither a path, like \"/healthz\", nor a URI of HTTP.");
  }
  if (!iequals(absolute->scheme, encrypted ? "https" : "http")) {
    return HttpRefusal{.status = 421,
                       .type = "misdirected-request",
                       .detail = "The scheme of the target does not fit this connection."};
  }
  const auto authority = authority_in(absolute->authority);
  if (!authority || authority->host.empty()) {
    return malformed("The target does not name a host.");
  }
  return std::nullopt;
}

std::optional<HttpRefusal> refusal_of_method(const HttpRequest& request) {
  if (request.method() != http::verb::unknown && request.method() != http::verb::connect) {
    return std::nullopt;
  }
  return HttpRefusal{.status = 501,
                     .type = "unknown-method",
                     .detail =
                         "This server does not know the method, or does not allow it here. Methods "
                         "are in capitals."};
}

// Returns true if the character is allowed unencoded in a path segment: RFC 3986 3.3. The
// percent-encoded form means the same as such a character. RFC 3986 6.2.2.2 says this for letters,
// digits and "-._~". For the other characters, every library does it.
bool may_be_in_segment(char c) {
  return c == ':' || c == '@' || (c != '%' && may_be_in_host(c));
}

void append_plain_path(std::string_view path, std::string& out) {
  constexpr std::size_t triplet = 3;
  while (!path.empty()) {
    const auto run = path.substr(0, path.find('%'));
    out += run;
    path.remove_prefix(run.size());
    const auto encoded = path.substr(0, triplet);
    const auto byte = percent_decoded(encoded);
    const bool plain = byte && byte->size() == 1 && may_be_in_segment(byte->front());
    out += plain ? std::string_view{*byte} : encoded;
    path.remove_prefix(encoded.size());
  }
}

}  // namespace

HttpRefusal malformed(std::string detail) {
  return {.status = 400, .type = "malformed-http", .detail = std::move(detail)};
}

std::optional<HttpRefusal> refusal_of(const HttpRequest& request, bool chunked, bool encrypted) {
  if (auto refusal = ambiguity_of(request, chunked)) return refusal;
  if (auto refusal = refusal_of_host(request)) return refusal;
  if (auto refusal = refusal_of_method(request)) return refusal;
  return refusal_of_target(request, encrypted);
}

void normalize_target(HttpRequest& request) {
  const std::string target{request.target().data(), request.target().size()};
  std::string_view rest = target;
  if (const auto absolute = absolute_form_of(target)) {
    request.set(http::field::host, absolute->authority);
    rest = absolute->path_and_query;
  } else if (target.find('%') == std::string::npos) {
    return;
  }
  const auto path = rest.substr(0, rest.find('?'));
  std::string normal{path.empty() ? "/" : ""};
  append_plain_path(path, normal);
  normal += rest.substr(path.size());
  request.target(normal);
}

}  // namespace fixkeep::net
