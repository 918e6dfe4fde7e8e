// Reads the bytes of one answer of an HTTP/1.1 server: its head and its body.
//
// The server is foreign and may send anything. Beast's parser is not used: it does not bound
// interim answers, chunk extensions and trailers, and keeps all of them. A body ends as in RFC 9112
// 6.3: after the last chunk, after Content-Length bytes, or with the connection. An ambiguous
// answer is malformed: two lengths, a length beside chunks, another coding, a folded field, a bare
// LF. Trailers and chunk extensions are dropped.
//
// Invariants: 1. it keeps at most `head_bytes` of a head and `body_bytes` of a body.
//             2. outside the body (interim answers, head, chunk sizes, extensions, trailers) it
//                takes at most `head_bytes`, and 16 bytes more for each byte of body. A chunk with
//                one byte of body needs five. So the whole answer is bounded.
//             3. after a failure or the end of the answer it takes no more bytes.
// Sans-IO. Thread rule: one connection uses it. Fault model: the server sends any bytes. Errors:
// HttpAnswerError.
#pragma once

#include <boost/system/error_code.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fixkeep::net {

enum class HttpAnswerError : std::uint8_t {
  malformed = 1,  // not HTTP/1.1, or ambiguous
  too_large,      // above the bounds
  cut_off,        // the connection ended before the answer's end
};
[[nodiscard]] boost::system::error_code make_error_code(HttpAnswerError error) noexcept;

}  // namespace fixkeep::net

template <>
struct boost::system::is_error_code_enum<fixkeep::net::HttpAnswerError> : std::true_type {};

namespace fixkeep::net {

struct HttpReaderLimits {
  std::size_t head_bytes = 16U << 10U;
  std::size_t body_bytes = 1U << 20U;  // bytes of the body; for a stream: bytes not taken yet
  bool stream = false;                 // the body has no end; take_body() empties it
};

class HttpResponseReader {
 public:
  enum class State : std::uint8_t { head, body, complete, failed };

  explicit HttpResponseReader(HttpReaderLimits limits) : limits_(limits) {}

  // Takes bytes from the front of `input` and returns their number. Takes all bytes unless the
  // answer is complete or has failed.
  std::size_t put(std::string_view input);
  // Reports the end of the connection.
  void put_end();

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool over() const { return state_ == State::complete || state_ == State::failed; }
  // REQUIRES: the answer has failed.
  [[nodiscard]] boost::system::error_code error() const { return error_; }

  // REQUIRES for all functions below: the head is complete.
  [[nodiscard]] unsigned status() const { return status_; }
  // Returns the first field of this name (in lower case); empty if it is missing.
  [[nodiscard]] std::string_view field(std::string_view name) const;
  // Returns true if the connection may serve another request after this answer.
  [[nodiscard]] bool keep_alive() const;
  // Returns the part of the body that has arrived since the last call.
  [[nodiscard]] std::string take_body() { return std::exchange(body_, {}); }
  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  // The next expected part.
  enum class Part : std::uint8_t {
    status_line,
    field,
    counted_body,
    body_until_end,
    chunk_size,
    chunk,
    chunk_end,
    trailer,
  };

  void line(std::string_view text);
  void status_line(std::string_view text);
  void field_line(std::string_view text);
  void head_is_complete();
  void chunk_size(std::string_view text);
  std::size_t take(std::string_view input);
  void fail(boost::system::error_code error);
  [[nodiscard]] bool spend(std::size_t bytes);

  HttpReaderLimits limits_;
  State state_ = State::head;
  Part part_ = Part::status_line;
  boost::system::error_code error_;
  std::string line_;         // incomplete line
  std::uint64_t spent_ = 0;  // bytes outside the body
  std::uint64_t body_seen_ = 0;
  unsigned status_ = 0;
  bool http_1_0_ = false;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::uint64_t left_ = 0;  // remaining bytes of the body or the chunk
  std::string body_;
};

}  // namespace fixkeep::net
