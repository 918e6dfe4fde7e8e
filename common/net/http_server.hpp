// An HTTP/1.1 server on one thread, for answers that may come later.
//
// Every connection keeps one read outstanding, also while its request waits for an answer: that
// read is the next request, or the news that the client hung up (on_hang_up). One request at a time
// a connection; a pipelined one waits in the socket.
//
// Thread rule: one io_context, one thread. Bounds: connections, header and body bytes, time to
// finish a request, idle time. Errors of the client are answered with application/problem+json.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace fixkeep::net {

namespace http = boost::beast::http;

using HttpRequest = http::request<http::string_body>;

struct HttpAnswer {
  unsigned status = 200;
  std::string_view content_type = "application/json";  // a literal
  std::string body;
  unsigned retry_after_seconds = 0;  // sent if not zero
  std::string_view allow;            // a literal; sent with 405
};

// Answers one request, at once or later, from the server's thread. Copyable; the first answer
// counts. Harmless once the client has gone.
class HttpResponder {
 public:
  void answer(HttpAnswer answer) const;

  // Called if the client goes away before the answer; never after it. At most one a request.
  void on_hang_up(std::function<void()> handler) const;

 private:
  friend class HttpConnection;
  explicit HttpResponder(std::weak_ptr<class HttpConnection> connection, std::uint64_t request);
  std::weak_ptr<class HttpConnection> connection_;
  std::uint64_t request_;
};

// RFC 9457. `type` is the stable name of the error, sent as "urn:fixkeep:error:" + type.
[[nodiscard]] HttpAnswer problem(unsigned status, std::string_view type, std::string_view title,
                                 std::string_view detail);

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any, see port()
  std::size_t connections = 20'000;
  std::size_t header_bytes = 8U << 10U;
  std::size_t body_bytes = 64U << 10U;
  std::chrono::milliseconds request_timeout{10'000};  // from its first byte to its last
  std::chrono::milliseconds idle_timeout{60'000};
};

class HttpServer {
 public:
  using Handler = std::function<void(HttpRequest&&, HttpResponder)>;

  // Errors: the address cannot be listened on.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(boost::asio::io_context& context,
                                                                 HttpOptions options,
                                                                 Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  void stop_accepting();  // requests under way are still answered
  void close();           // closes every connection

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;

 private:
  class Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
