// Splits the bytes of one connection into requests. The limits count all bytes of a request.
//
// Beast parses, but does not bound chunk extensions and trailers. It ignores an unknown transfer
// coding. It asserts that a last chunk does not arrive in pieces of less than five bytes. This
// class closes these gaps. request_head.hpp checks the contents of heads.
//
// Invariants: 1. the bytes of a request outside its body (request line, header, chunk sizes and
//                extensions, trailers) are at most HttpOptions::header_bytes. Bytes not taken yet
//                are included. The body is at most HttpOptions::body_bytes.
//             2. after a refusal, no byte is taken before reset() is called.
// Thread rule: one connection uses it. Errors: HttpRefusal.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/net/http/request_head.hpp"
#include "common/net/http/server.hpp"

namespace fixkeep::net {

class HttpRequestParser {
 public:
  enum class State : std::uint8_t {
    idle,       // between two requests
    receiving,  // a request has begun
    complete,   // release() returns the request
    refused,    // refusal() has the reason
  };

  // REQUIRES: the options outlive the parser.
  explicit HttpRequestParser(const HttpOptions& options) : options_(&options) {}

  // Takes bytes from the front of `input` and returns their number. Pass the remaining bytes again
  // later: together with newer bytes, or for the next request. REQUIRES: idle or receiving.
  std::size_t put(std::string_view input);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const HttpRefusal& refusal() const { return refusal_; }

  // Returns true one time per request, if the client waits for "100 Continue" before it sends the
  // body.
  [[nodiscard]] bool take_expectation();

  // Returns true if the connection may serve another request. All Connection fields together decide
  // this; HttpRequest::keep_alive() reads only the first. REQUIRES: complete.
  [[nodiscard]] bool keeps_alive() const { return parser_->keep_alive(); }
  // Returns the request. The state is then idle. REQUIRES: complete.
  [[nodiscard]] HttpRequest release();
  void reset();

 private:
  using Parser = http::request_parser<http::string_body>;

  std::size_t skip_empty_lines(std::string_view input);
  std::size_t parse(std::string_view input);
  void refuse(HttpRefusal refusal);
  // `request_line`: the received bytes if the first line is not taken yet.
  void refuse(boost::system::error_code error, std::string_view request_line);

  const HttpOptions* options_;
  State state_ = State::idle;
  bool header_checked_ = false;
  bool invited_ = false;
  std::optional<Parser> parser_;
  std::size_t empty_bytes_ = 0;  // empty lines before the request
  std::size_t taken_ = 0;        // bytes of the request so far
  HttpRefusal refusal_;
};

}  // namespace fixkeep::net
