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
constexpr unsigned http_1_1 = 11;
constexpr boost::beast::string_view last_coding = "chunked";

// Otherwise random bytes would be read up to the limit and then be called a header too large.
bool looks_like_a_request(std::string_view input) {
  for (std::size_t i = 0; i < input.size(); ++i) {
    const char c = input[i];
    if (c == ' ') return i > 0;
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-';
    if (!letter || i > method_bytes_most) return false;
  }
  return true;  // so far
}

HttpRefusal malformed(std::string detail) {
  return {.status = 400, .type = "malformed-http", .detail = std::move(detail)};
}

bool is_number(boost::beast::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Beast has refused lengths that contradict each other, and a length beside "chunked". `chunked`:
// Beast takes the body for chunks.
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
      counted = is_number(field.value());
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
  if (boost::beast::iequals(coding, last_coding)) return std::nullopt;
  if (chunked && coding.ends_with(last_coding)) {
    return HttpRefusal{.status = 501,
                       .type = "unknown-transfer-coding",
                       .detail = "This server knows no transfer coding but \"chunked\"."};
  }
  return malformed("Transfer-Encoding does not end with \"chunked\", so the body has no end.");
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

// RFC 9112, 2.2: some clients send an empty line after a body.
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
    refuse(make_error_code(http::error::bad_method));
    return 0;
  }
  // As long as the last chunk is not complete there are at least so many bytes to come. Beast
  // asserts that it sees them together, and an assertion that a client can break is no use to us.
  if (header_checked_ && parser_->chunked() && input.size() < last_chunk_bytes) return 0;

  error_code error;
  const std::size_t taken = parser_->put(boost::asio::buffer(input.data(), input.size()), error);
  taken_ += taken;
  const bool incomplete = error == http::error::need_more;
  // Bytes that wait for more are a header, a chunk size or trailers: body bytes never wait.
  const std::size_t waiting = incomplete ? input.size() - taken : 0;
  // Beast holds a single piece of a header against its limit, and takes any number of pieces.
  if (taken_ - parser_->get().body().size() + waiting > options_->header_bytes) {
    refuse(make_error_code(http::error::header_limit));
    return taken;
  }
  if (!header_checked_ && parser_->is_header_done()) {
    header_checked_ = true;
    if (auto ambiguity = ambiguity_of(parser_->get(), parser_->chunked())) {
      refuse(std::move(*ambiguity));
      return taken;
    }
  }
  if (error && !incomplete) {
    refuse(error);
    return taken;
  }
  if (parser_->is_done()) state_ = State::complete;
  return taken;
}

bool HttpRequestParser::take_expectation() {
  if (state_ != State::receiving || !header_checked_ || invited_) return false;
  invited_ = true;
  return parser_->get()[http::field::expect] == "100-continue";
}

HttpRequest HttpRequestParser::release() {
  HttpRequest request = parser_->release();
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
  parser_.reset();
  state_ = State::refused;
}

void HttpRequestParser::refuse(error_code error) {
  if (error == http::error::header_limit) {
    refuse({.status = 431,
            .type = "header-too-large",
            .detail = "The header exceeds the limit of this server; chunk sizes, chunk extensions "
                      "and trailers count as well."});
  } else if (error == http::error::body_limit) {
    refuse({.status = 413,
            .type = "body-too-large",
            .detail = "The body exceeds the limit of this server."});
  } else {
    refuse(malformed("This is not HTTP/1.1: " + error.message() + "."));
  }
}

}  // namespace fixkeep::net
