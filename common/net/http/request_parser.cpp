#include "common/net/http/request_parser.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

namespace fixkeep::net {
namespace {

using boost::system::error_code;

constexpr std::size_t method_bytes_most = 32;
constexpr std::size_t last_chunk_bytes = 5;  // "0\r\n\r\n"

std::string bytes(std::size_t count) {
  return std::to_string(count) + " bytes";
}

// Without this check, random bytes would be read up to the limit. Then the error would say that the
// header is too large.
bool looks_like_a_request(std::string_view input) {
  for (std::size_t i = 0; i < input.size(); ++i) {
    const char c = input[i];
    if (c == ' ') return i > 0;
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
    if (!letter || i > method_bytes_most) return false;
  }
  return true;  // no error so far
}

// Beast knows only two versions.
bool names_another_version(std::string_view input) {
  const auto line = input.substr(0, input.find_first_of("\r\n"));
  const auto version = line.substr(line.find(' ', line.find(' ') + 1) + 1);
  constexpr std::string_view form = "HTTP/0.0";
  return version.size() == form.size() &&
         std::equal(version.begin(), version.end(), form.begin(),
                    [](char c, char f) { return f == '0' ? c >= '0' && c <= '9' : c == f; });
}

}  // namespace

std::size_t HttpRequestParser::put(std::string_view input) {
  std::size_t taken = 0;
  if (state_ == State::idle) {
    taken = skip_empty_lines(input);
    if (taken == input.size() || state_ == State::refused) return taken;
    parser_.emplace();
    parser_->eager(true);
    parser_->header_limit(static_cast<std::uint32_t>(options_->header_bytes));
    parser_->body_limit(options_->body_bytes);
    taken_ = 0;
    header_checked_ = false;
    invited_ = false;
    state_ = State::receiving;
  }
  return taken + parse(input.substr(taken));
}

// RFC 9112 2.2: some clients send an empty line after a body.
std::size_t HttpRequestParser::skip_empty_lines(std::string_view input) {
  const std::size_t skipped = std::min(input.find_first_not_of("\r\n"), input.size());
  empty_bytes_ += skipped;
  if (empty_bytes_ > options_->header_bytes) {
    refuse(malformed("Nothing but empty lines came; send a request."));
  }
  return skipped;
}

std::size_t HttpRequestParser::parse(std::string_view input) {
  if (taken_ == 0 && !looks_like_a_request(input)) {
    refuse(make_error_code(http::error::bad_method), {});
    return 0;
  }
  // The last chunk has at least this many bytes. Beast asserts that these bytes arrive together. So
  // wait for all of them: a client must never make an assertion fail.
  if (header_checked_ && parser_->chunked() && input.size() < last_chunk_bytes) return 0;

  error_code error;
  const std::size_t taken = parser_->put(boost::asio::buffer(input.data(), input.size()), error);
  taken_ += taken;
  bool incomplete = error == http::error::need_more;
  // Bytes that wait belong to an incomplete header, chunk size or trailer: bytes of a body never
  // wait.
  const std::size_t waiting = incomplete ? input.size() - taken : 0;
  // Beast limits the size of each piece of a header, but not the number of pieces. This check
  // limits all pieces together.
  if (taken_ - parser_->get().body().size() + waiting > options_->header_bytes) {
    error = http::error::header_limit;
    incomplete = false;
  }
  if (!header_checked_ && parser_->is_header_done() && error != http::error::header_limit) {
    header_checked_ = true;
    const bool encrypted = options_->tls != nullptr;
    if (auto refusal = refusal_of(parser_->get(), parser_->chunked(), encrypted)) {
      refuse(std::move(*refusal));
      return taken;
    }
  }
  if (error && !incomplete) {
    refuse(error, taken_ == 0 ? input : std::string_view{});
    return taken;
  }
  if (parser_->is_done()) state_ = State::complete;
  return taken;
}

bool HttpRequestParser::take_expectation() {
  if (state_ != State::receiving || !header_checked_ || invited_) return false;
  invited_ = true;
  const HttpRequest& request = parser_->get();
  // HTTP/1.0 has no interim answers: RFC 9110 10.1.1 and 15.2.
  return request.version() >= http_1_1 &&
         boost::beast::iequals(request[http::field::expect], "100-continue");
}

HttpRequest HttpRequestParser::release() {
  HttpRequest request = parser_->release();
  normalize_target(request);
  reset();
  return request;
}

void HttpRequestParser::reset() {
  parser_.reset();
  empty_bytes_ = 0;
  state_ = State::idle;
}

void HttpRequestParser::refuse(HttpRefusal refusal) {
  refusal_ = std::move(refusal);
  refusal_.of_head = parser_ && parser_->get().method() == http::verb::head;
  // The origin is known only if the head is complete. If the body is too long (413), the head is
  // complete too, but is_header_done() does not report this.
  if (parser_ && (parser_->is_header_done() || refusal_.status == 413)) {
    refusal_.origin = std::string{parser_->get()[http::field::origin]};
  }
  parser_.reset();
  state_ = State::refused;
}

void HttpRequestParser::refuse(error_code error, std::string_view request_line) {
  if (error == http::error::header_limit && !request_line.empty() &&
      request_line.find('\n') >= options_->header_bytes) {
    refuse({.status = 414,
            .type = "target-too-long",
            .detail = "The target of a request has to fit the " + bytes(options_->header_bytes) +
                      " of its header."});
  } else if (error == http::error::header_limit) {
    refuse({.status = 431,
            .type = "header-too-large",
            .detail = "The header of a request has " + bytes(options_->header_bytes) +
                      " at most, with all fields (a token, cookies), chunk sizes, chunk extensions "
                      "and trailers."});
  } else if (error == http::error::body_limit) {
    refuse({.status = 413,
            .type = "body-too-large",
            .detail = "The body of a request has " + bytes(options_->body_bytes) + " at most."});
  } else if (error == http::error::bad_version && names_another_version(request_line)) {
    refuse({.status = 505,
            .type = "unknown-version",
            .detail = "This server speaks HTTP/1.1 and HTTP/1.0."});
  } else {
    refuse(malformed("This is not HTTP/1.1: " + error.message() + "."));
  }
}

}  // namespace fixkeep::net
