// Splits the bytes of one connection into requests. Its limits count all bytes.
//
// Beast parses. It bounds neither chunk extensions nor trailers. It ignores an unknown transfer
// coding and asserts that a last chunk does not arrive in pieces of less than five bytes. This
// class closes these gaps. request_head.hpp checks the contents of heads.
//
// Invariants: 1. the bytes of a request that are not its body (request line, header, chunk sizes
//                and extensions, trailers) are at most HttpOptions::header_bytes. Those not taken
//                yet count. Its body is at most HttpOptions::body_bytes.
//             2. no byte is taken after a refusal until reset().
// Thread rule: one connection's. Errors: HttpRefusal.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/net/http/request_head.hpp"
#include "common/net/http/server.hpp"

namespace fixkeep::net {

class HttpRequestParser {
 public:
  enum class State : std::uint8_t {
    idle,       // between two requests
    receiving,  // a request has begun
    complete,   // release() has it
    refused,    // refusal() says why
  };

  // REQUIRES: the options outlive the parser.
  explicit HttpRequestParser(const HttpOptions& options) : options_(&options) {}

  // Takes bytes from the front of `input` and returns their number. The rest belongs to the next
  // call with more bytes behind it or to the next request. REQUIRES: idle or receiving.
  std::size_t put(std::string_view input);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const HttpRefusal& refusal() const { return refusal_; }

  // True once a request: its client wants to be invited before it sends the body.
  [[nodiscard]] bool take_expectation();

  // REQUIRES: complete. The connection may serve another request after this one. All Connection
  // fields together say so. HttpRequest::keep_alive() reads only the first.
  [[nodiscard]] bool keeps_alive() const { return parser_->keep_alive(); }
  // REQUIRES: complete. It is idle afterwards.
  [[nodiscard]] HttpRequest release();
  void reset();

 private:
  using Parser = http::request_parser<http::string_body>;

  std::size_t skip_empty_lines(std::string_view input);
  std::size_t parse(std::string_view input);
  void refuse(HttpRefusal refusal);
  // `request_line`: all that has come if no whole one has.
  void refuse(boost::system::error_code error, std::string_view request_line);

  const HttpOptions* options_;
  State state_ = State::idle;
  bool header_checked_ = false;
  bool invited_ = false;
  std::optional<Parser> parser_;
  std::size_t empty_bytes_ = 0;  // bytes of empty lines before the request
  std::size_t taken_ = 0;        // bytes of the request
  HttpRefusal refusal_;
};

}  // namespace fixkeep::net
