// An HTTP/1.1 client with one connection, for foreign servers and our own. It uses TCP or a local
// socket of this machine.
//
// A call connects first if there is no connection, or if the server has closed it. The connection
// is kept if the answer allows this. The connection is closed if the server sends more than the
// answer.
//
// Thread rule: the executor's thread; one call at a time. Lifetime: the object may be destroyed at
// any time; this closes the connection. Bounds: every call ends within its limit, even if the
// server is busy; the bounds of an answer are in response_reader.hpp. Fault model: the server sends
// any bytes as slowly as it likes. Errors: those of dialler.hpp, TLS, the socket and
// response_reader.hpp; timed_out; operation_aborted after close(); Errc::malformed_message for a
// malformed call. After an error there is no connection.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/net/keep_alive.hpp"
#include "common/net/tls/server_trust.hpp"

namespace fixkeep::net {

struct HttpClientOptions {
  std::string host;  // a name or an address; IPv6 without brackets
  std::uint16_t port = 0;
  std::string path = {};               // path of a local socket, replaces host and port; empty: TCP
  std::shared_ptr<ServerTrust> trust;  // null: plain
  std::size_t head_bytes = 16U << 10U;
  std::size_t body_bytes = 1U << 20U;
};

struct HttpCall {
  std::string method = "GET";
  std::string target = "/";
  // Fields in addition to Host and Content-Length. Names and values have no control characters.
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string body = {};
};

struct HttpAnswerHead {
  unsigned status = 0;
  std::string retry_after;  // as received; empty: missing
};
struct HttpReply : HttpAnswerHead {
  std::string body;
};

class HttpClient {
 public:
  using Limit = std::chrono::milliseconds;
  static constexpr Limit no_limit = Limit::max();
  // A server without signs of life counts as lost, even if a call has no limit.
  static constexpr KeepAlive signs_of_life{std::chrono::seconds{15}, std::chrono::seconds{15}, 3};

  HttpClient(const boost::asio::any_io_executor& executor, HttpClientOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  [[nodiscard]] boost::asio::awaitable<Result<>> connect(Limit limit);
  [[nodiscard]] boost::asio::awaitable<Result<HttpReply>> ask(HttpCall call, Limit limit);
  // Reads an answer with an endless body: open() returns its head, read_more() the parts of its
  // body. An empty part is the end.
  [[nodiscard]] boost::asio::awaitable<Result<HttpAnswerHead>> open(HttpCall call, Limit limit);
  [[nodiscard]] boost::asio::awaitable<Result<std::string>> read_more(Limit limit);
  void close();

  [[nodiscard]] bool connected() const;
  // The stage that the last call has reached.
  enum class Stage : std::uint8_t { dialling, trusting, sending, reading };
  [[nodiscard]] Stage stage() const;
  // Bytes of HTTP since the object was made.
  [[nodiscard]] std::uint64_t bytes_sent() const;
  [[nodiscard]] std::uint64_t bytes_received() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
