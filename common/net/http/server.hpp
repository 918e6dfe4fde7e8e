// An HTTP/1.1 server on one thread. Answers may come later.
//
// Every connection keeps one read outstanding. While a request waits for its answer, that read
// begins after 10 ms because most answers come sooner. It brings the next request or shows that the
// client hung up (on_hang_up). A connection has one request at a time. Pipelined ones are held back
// up to the bytes of one request. A client that sends more is refused: its end could not be seen
// behind unread bytes.
//
// A FIN may come from a client that left or from one that has sent all it had (`nc -N`). It counts
// as hanging up as in nginx and Go. One exception: an HTTP/1.1 request with "Connection: close" and
// a FIN within a second of it. Then the server sends "100 Continue": an interim answer that every
// client skips. The system of a client that has left resets the connection. This is hanging up. Any
// other client gets its answer. Clients that keep connections alive (curl and every game client
// library) never half-close.
//
// Every byte of a request counts: chunk sizes, chunk extensions and trailers count as header. With
// the defaults no client can make a connection cost 1 MB.
//
// Guarantees: 1. neither the request handler nor on_hang_up is called from inside answer().
//             2. on_hang_up is called at most once but never after the answer or after close().
//             3. a refused client (4xx, 503) can read why: the socket is closed only after the
//                client's end or a short while of discarding its bytes.
// Thread rule: one io_context, one thread; the server is destroyed before the io_context.
// Bounds: connections (a newcomer beyond takes the place of another one as
// connections_by_client.hpp says or is told 503), header and body bytes, bytes in the sockets'
// buffers, one answer at a time for each connection, time to finish a request, idle time. One
// coarse timer checks the times of all connections. They last up to an eighth longer.
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
  std::string body;                                    // without a body for 204 and 304
  unsigned retry_after_seconds = 0;                    // sent if not zero
  std::string allow;                                   // sent with 405
  std::vector<std::string_view> authenticate;          // with 401, a field each; literals
  std::string request_id;   // sent as X-Request-Id if not empty; REQUIRES: printable ASCII
  bool last = false;        // its connection ends with it
  std::string_view fields;  // further lines of the head, each with CRLF before it; a literal
};

// An answer without an end. It is sent bit by bit (server-sent events and the like). Copyable;
// harmless once the client has gone. Bytes are shared: many equal streams cost the memory once.
class HttpStream {
 public:
  static constexpr std::size_t unsent_most = std::size_t{16} << 20U;

  // False: the client has gone. A client is sent away if more than `unsent_most` bytes would wait
  // for it or no byte leaves for HttpOptions::idle_timeout.
  bool send(std::shared_ptr<const std::string> bytes) const;
  void close() const;
  [[nodiscard]] bool is_open() const;

 private:
  friend class HttpResponder;
  explicit HttpStream(std::weak_ptr<class HttpConnection> connection)
      : connection_(std::move(connection)) {}
  std::weak_ptr<class HttpConnection> connection_;
};

// Answers one request from the server's thread at once or later. Copyable; the first answer counts.
// Harmless once the client has gone.
class HttpResponder {
 public:
  void answer(HttpAnswer answer) const;

  // The client's address; 0.0.0.0 if it has gone.
  [[nodiscard]] boost::asio::ip::address client() const;

  // Until its next request, the connection is not closed for a newer one: its client has identified
  // itself. Clients behind newer ones have not.
  void keep_connection() const;

  // Called if the client goes away before the answer. At most one a request: the last one set.
  void on_hang_up(std::function<void()> handler) const;

  // Instead of an answer: sends its head now (status 200 and no length) and its body bit by bit.
  // The connection ends with it. No value if the client has gone or was answered.
  [[nodiscard]] std::optional<HttpStream> stream(std::string_view content_type) const;

  // Instead of an answer: hands the connection to the caller for an endless answer or another
  // protocol. Bytes behind the request are lost. No value if the client has gone or was answered or
  // speaks TLS.
  [[nodiscard]] std::optional<boost::asio::ip::tcp::socket> take_over() const;

 private:
  friend class HttpConnection;
  explicit HttpResponder(std::weak_ptr<class HttpConnection> connection, std::uint64_t request);
  std::weak_ptr<class HttpConnection> connection_;
  std::uint64_t request_;
};

// RFC 9457. `type` is the stable name of the error. It is sent as "urn:fixkeep:error:" + type.
[[nodiscard]] HttpAnswer problem(unsigned status, std::string_view type, std::string_view title,
                                 std::string_view detail);

struct HttpOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any, see port()
  std::size_t connections = 20'000;
  std::size_t connections_per_address = 10'000;  // connections of one address, or of a /64 of IPv6
  // Beyond these limits and without a quiet one to close, this many get a 503. More are closed at
  // once.
  std::size_t turned_away = 64;
  std::size_t header_bytes = 8U << 10U;  // all of a request but its body
  std::size_t body_bytes = 64U << 10U;
  std::chrono::milliseconds request_timeout{10'000};  // time from its first byte to its last
  std::chrono::milliseconds idle_timeout{60'000};     // time between two requests
  std::vector<std::string> allowed_origins;           // see common/net/http/cross_origin.hpp
  std::vector<std::string> allowed_headers;           // see common/net/http/cross_origin.hpp

  HttpsFiles tls_files;
  std::shared_ptr<HttpsCertificate> tls;  // made of these files; null: HTTP is plain

  friend bool operator==(const HttpOptions&, const HttpOptions&) = default;
};

class HttpServer {
 public:
  using Handler = std::function<void(HttpRequest&&, HttpResponder)>;
  using Responses = std::map<unsigned, std::uint64_t>;  // number of answers by status

  // Errors: the address cannot be listened on.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(boost::asio::io_context& context,
                                                                 HttpOptions options,
                                                                 Handler handler);
  // A server without a port: another one accepts its connections.
  [[nodiscard]] static std::unique_ptr<HttpServer> start_without_port(
      boost::asio::io_context& context, HttpOptions options, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Requests under way are still answered as the last on their connection ("Connection: close").
  void stop_accepting();
  void close();  // closes every connection

  // New connections use another certificate; null: they are plain. Connections with a client
  // certificate that is now revoked are closed.
  void renew(const std::shared_ptr<HttpsCertificate>& certificate);

  // Serves a connected socket. It becomes the server's own. It is closed at once if there are too
  // many.
  void serve(int socket);

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  [[nodiscard]] std::uint64_t displaced() const;     // connections that went for newer ones
  [[nodiscard]] const Responses& responses() const;  // answers since its start, with refusals
  [[nodiscard]] std::optional<std::chrono::sys_seconds> certificate_expires_at() const;

 private:
  class Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl) noexcept;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
