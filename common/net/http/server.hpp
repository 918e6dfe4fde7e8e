// An HTTP/1.1 server on one thread, for answers that may come later.
//
// Every connection keeps one read outstanding, also while its request waits for an answer, once it
// has waited for 10 ms (most answers come sooner, and would pay for a read in vain): that read is
// the next request, or the news that the client hung up (on_hang_up). One request at a time
// a connection; pipelined ones are held back, as many bytes as one request may have. A client that
// sends more before its answer is refused, since its end could not be seen behind bytes that nobody
// reads.
//
// The end of the client's side (a FIN) cannot tell a client that left from one that has merely sent
// all it had (`nc -N`), so it counts as hanging up, as in nginx and Go, with one exception: a
// client whose HTTP/1.1 request said that nothing follows ("Connection: close") and whose FIN comes
// within a second of it is sent "100 Continue", an interim answer that every client skips. If it
// has left, its system resets the connection, and that is hanging up; if not, it gets its answer.
// Clients that keep connections alive, as curl and every game client library do, never half-close.
//
// Every byte of a request counts: those of chunk sizes, chunk extensions and trailers count as
// header. With the defaults one connection costs less than 1 MB, whatever its client does.
//
// Guarantees: 1. neither the request handler nor on_hang_up is called from inside answer().
//             2. on_hang_up is called at most once, and never after the answer or after close().
//             3. a client that is refused (4xx, 503) gets to read why: the socket is closed only
//                when the client has closed it, or after a short while of discarding its bytes.
// Thread rule: one io_context, one thread; the server is destroyed before the io_context.
// Bounds: connections (a newcomer beyond takes the place of another one, as
// connections_by_client.hpp says, or is told 503), header and body bytes, bytes
// in the sockets' buffers, one answer at a time for each connection, time to finish a request, idle
// time; times are checked by one coarse timer for all connections, so they last up to an eighth
// longer. Errors of the client are answered with application/problem+json.
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
  std::string body;                                    // without one for 204 and 304
  unsigned retry_after_seconds = 0;                    // sent if not zero
  std::string allow;                                   // sent with 405
  std::vector<std::string_view> authenticate;          // with 401, a field each; literals
  std::string request_id;   // sent as X-Request-Id if not empty; REQUIRES: printable ASCII
  bool last = false;        // its connection ends with it
  std::string_view fields;  // more lines of the head, each with CRLF before it; a literal
};

// An answer without an end, of which more is sent as it comes (server-sent events and the like).
// Copyable; harmless once the client has gone. What is sent is shared, so that many streams of the
// same cost its memory once.
class HttpStream {
 public:
  static constexpr std::size_t unsent_most = std::size_t{16} << 20U;

  // False: the client has gone. It is sent away if it reads so slowly that more than `unsent_most`
  // bytes would wait for it, or that nothing leaves for HttpOptions::idle_timeout.
  bool send(std::shared_ptr<const std::string> bytes) const;
  void close() const;
  [[nodiscard]] bool is_open() const;

 private:
  friend class HttpResponder;
  explicit HttpStream(std::weak_ptr<class HttpConnection> connection)
      : connection_(std::move(connection)) {}
  std::weak_ptr<class HttpConnection> connection_;
};

// Answers one request, at once or later, from the server's thread. Copyable; the first answer
// counts. Harmless once the client has gone.
class HttpResponder {
 public:
  void answer(HttpAnswer answer) const;

  // The client's address; 0.0.0.0 if it has gone.
  [[nodiscard]] boost::asio::ip::address client() const;

  // The connection does not go for a newer one after this request, until its next one: its client
  // has shown who it is, and those for whom it would go have not.
  void keep_connection() const;

  // Called if the client goes away before the answer. At most one a request, the last one set.
  void on_hang_up(std::function<void()> handler) const;

  // Instead of an answer: its head now, with status 200 and no length, and its body bit by bit. The
  // connection ends with it. None if the client has gone or was answered.
  [[nodiscard]] std::optional<HttpStream> stream(std::string_view content_type) const;

  // Instead of an answer: the connection is the caller's from now on, for an answer that never
  // ends or for another protocol. What the client sent behind its request is lost. Nothing if the
  // client has gone or was answered, or speaks TLS.
  [[nodiscard]] std::optional<boost::asio::ip::tcp::socket> take_over() const;

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
  std::size_t connections_per_address = 10'000;  // of an address, or of a /64 of IPv6
  // Beyond either while nobody's is quiet, being told so; beyond these closed at once.
  std::size_t turned_away = 64;
  std::size_t header_bytes = 8U << 10U;  // all of a request but its body
  std::size_t body_bytes = 64U << 10U;
  std::chrono::milliseconds request_timeout{10'000};  // from its first byte to its last
  std::chrono::milliseconds idle_timeout{60'000};     // between two requests
  std::vector<std::string> allowed_origins;           // as common/net/http/cross_origin.hpp says
  std::vector<std::string> allowed_headers;           // likewise

  HttpsFiles tls_files;
  std::shared_ptr<HttpsCertificate> tls;  // of these files; null: HTTP is plain

  friend bool operator==(const HttpOptions&, const HttpOptions&) = default;
};

class HttpServer {
 public:
  using Handler = std::function<void(HttpRequest&&, HttpResponder)>;
  using Responses = std::map<unsigned, std::uint64_t>;  // how many answers, by status

  // Errors: the address cannot be listened on.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(boost::asio::io_context& context,
                                                                 HttpOptions options,
                                                                 Handler handler);
  // One that does not listen: somebody else accepts its connections.
  [[nodiscard]] static std::unique_ptr<HttpServer> start_without_port(
      boost::asio::io_context& context, HttpOptions options, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Requests under way are still answered, the last on their connection ("Connection: close").
  void stop_accepting();
  void close();  // closes every connection

  // New connections prove themselves with another certificate; null: they are plain. Connections of
  // clients whose own certificate is revoked by then are closed.
  void renew(const std::shared_ptr<HttpsCertificate>& certificate);

  // Serves a connected socket, which becomes the server's own. It is closed at once if there are
  // too many.
  void serve(int socket);

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  [[nodiscard]] std::uint64_t displaced() const;     // connections that went for newer ones
  [[nodiscard]] const Responses& responses() const;  // since its start, refusals among them
  [[nodiscard]] std::optional<std::chrono::sys_seconds> certificate_expires_at() const;

 private:
  class Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl) noexcept;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
