// An HTTP/1.1 server on one thread. An answer may be given later.
//
// Every connection keeps one read outstanding. Exception: while a request waits for its answer, the
// read begins up to 10 ms later, because most answers are ready sooner. The read gets the next
// request or shows that the client has hung up (on_hang_up). A connection has one request at a
// time. Pipelined requests are held back, up to the bytes of one request. A client that sends more
// is refused, because unread bytes would hide that the client hangs up.
//
// A FIN ends the client's output. The client may have left, or may only have sent everything (`nc
// -N`). A FIN counts as hanging up, as in nginx and Go. There is one exception: an HTTP/1.1 request
// with "Connection: close", if its FIN arrives within a second. For this request, the server sends
// "100 Continue", an interim answer that every client skips. If the client has left, its operating
// system resets the connection: only then the client counts as gone. Any other client gets its
// answer. Clients that keep connections alive (curl and every game client library) never
// half-close.
//
// The limits include every byte of a request: chunk sizes, chunk extensions and trailers are part
// of the header. With the defaults, no client can make a connection use 1 MB.
//
// Guarantees: 1. answer() does not call the request handler or on_hang_up.
//             2. on_hang_up is called at most one time, never after the answer or close().
//             3. a refused client (4xx, 503) can read the reason: the socket stays open until the
//                client closes it, or for a short time in which the server drops the client's
//                bytes.
// Thread rule: one io_context, one thread; the server is destroyed before the io_context.
// Bounds: connections (beyond the limit, a newcomer replaces another connection as in
// connections_by_client.hpp or gets 503), header and body bytes, bytes in the sockets' buffers, one
// answer at a time for each connection, time to finish a request, idle time. One coarse timer
// checks the times of all connections, so each of these times may last up to an eighth longer.
// Errors of the client are answered with application/problem+json.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/net/tls/https_certificate.hpp"

namespace fixkeep::net {

namespace http = boost::beast::http;

using HttpRequest = http::request<http::string_body>;

struct HttpAnswer {
  unsigned status = 200;
  std::string_view content_type = "application/json";  // a literal
  std::string body;                                    // not sent for 204 and 304
  unsigned retry_after_seconds = 0;                    // sent if not zero
  std::string allow;                                   // sent with 405
  std::string location;                                // sent if not empty
  std::string etag;                                    // sent unchanged if not empty
  std::vector<std::string_view> authenticate;          // sent with 401, one field each; literals
  std::string request_id;   // sent as X-Request-Id if not empty; REQUIRES: printable ASCII
  bool last = false;        // the connection is closed afterwards
  std::string_view fields;  // further lines of the head, each with CRLF before it; a literal
};

// An answer without an end, sent in pieces (for example server-sent events). Copyable. Does nothing
// after the client has left. Several streams can share the same bytes, which are then in memory
// only one time.
class HttpStream {
 public:
  static constexpr std::size_t unsent_most = std::size_t{16} << 20U;

  // Returns false if the client has left. Closes the connection if more than `unsent_most` bytes
  // would wait, or if no byte is sent for HttpOptions::idle_timeout.
  bool send(std::shared_ptr<const std::string> bytes) const;
  void close() const;
  [[nodiscard]] bool is_open() const;

 private:
  friend class HttpResponder;
  explicit HttpStream(std::weak_ptr<class HttpConnection> connection)
      : connection_(std::move(connection)) {}
  std::weak_ptr<class HttpConnection> connection_;
};

// Answers one request from the server's thread, immediately or later. Copyable; only the first
// answer is used. Does nothing after the client has left.
class HttpResponder {
 public:
  void answer(HttpAnswer answer) const;

  // Returns the client's address; 0.0.0.0 if the client has left.
  [[nodiscard]] boost::asio::ip::address client() const;

  // Call this if the client has identified itself. Until the connection's next request, the server
  // does not close it for a newer connection, whose client is not known yet.
  void keep_connection() const;

  // Calls `handler` if the client leaves before the answer. A later call replaces the request's
  // handler.
  void on_hang_up(std::function<void()> handler) const;

  // Instead of an answer: sends the head now (status 200, no length) and the body in pieces. The
  // connection ends with the stream. No value if the client has left or got an answer.
  [[nodiscard]] std::optional<HttpStream> stream(std::string_view content_type) const;

  // Instead of an answer: gives the connection to the caller, for an endless answer or another
  // protocol. Bytes after the request are lost. No value if the client has left, got an answer or
  // speaks TLS.
  [[nodiscard]] std::optional<boost::asio::ip::tcp::socket> take_over() const;

 private:
  friend class HttpConnection;
  explicit HttpResponder(std::weak_ptr<class HttpConnection> connection, std::uint64_t request);
  std::weak_ptr<class HttpConnection> connection_;
  std::uint64_t request_;
};

// Makes an answer as in RFC 9457. `type` is the stable name of the error. It is sent as
// "urn:fixkeep:error:" + type.
[[nodiscard]] HttpAnswer problem(unsigned status, std::string_view type, std::string_view title,
                                 std::string_view detail);

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any; see port()
  std::size_t connections = 20'000;
  std::size_t connections_per_address = 10'000;  // limit for one address, or for a /64 of IPv6
  // If no quiet connection can be closed, this many connections beyond the limits get a 503.
  // Further connections are closed immediately.
  std::size_t turned_away = 64;
  std::size_t header_bytes = 8U << 10U;  // all of a request except its body
  std::size_t body_bytes = 64U << 10U;
  std::chrono::milliseconds request_timeout{10'000};  // time from a request's first to last byte
  std::chrono::milliseconds idle_timeout{60'000};     // time between two requests
  std::vector<std::string> allowed_origins;           // see common/net/http/cross_origin.hpp

  HttpsFiles tls_files;
  std::shared_ptr<HttpsCertificate> tls;  // loaded from tls_files; null: HTTP is plain

  friend bool operator==(const HttpOptions&, const HttpOptions&) = default;
};

class HttpServer {
 public:
  using Handler = std::function<void(HttpRequest&&, HttpResponder)>;
  using Responses = std::map<unsigned, std::uint64_t>;  // number of answers by status

  // Errors: the server cannot listen on the address.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(boost::asio::io_context& context,
                                                                 HttpOptions options,
                                                                 Handler handler);
  // Starts a server that does not listen. Its owner passes connected sockets to serve().
  [[nodiscard]] static std::unique_ptr<HttpServer> start_without_port(
      boost::asio::io_context& context, HttpOptions options, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Accepts no more connections. Answers the active requests. Each of these answers is the last on
  // its connection ("Connection: close").
  void stop_accepting();
  void close();  // closes every connection

  // Uses another certificate for new connections; null: new connections are plain. Closes
  // connections with a client certificate that is now revoked.
  void renew(const std::shared_ptr<HttpsCertificate>& certificate);

  // Serves a connected socket and becomes its owner. Closes the socket immediately if there are too
  // many connections.
  void serve(int socket);

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  [[nodiscard]] std::uint64_t displaced() const;     // connections closed for newer connections
  [[nodiscard]] const Responses& responses() const;  // all since the start, refusals included
  [[nodiscard]] std::optional<std::chrono::sys_seconds> certificate_expires_at() const;

 private:
  class Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl) noexcept;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
