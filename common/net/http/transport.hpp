// The bytes of one HTTP connection: its socket, and TLS if the server has a certificate.
//
// Internal to HttpConnection. Without TLS this class adds nothing to the socket's calls. With TLS,
// each read also continues the handshake. OpenSSL's own messages are sent immediately or with the
// next answer.
//
// Fault model: the client sends any bytes and may never read. Thread rule: that of HttpServer.
// Bounds: with TLS, it stores at most a copy of a waiting answer and `unsent_most` bytes of
// OpenSSL's own messages.
// Errors: of the socket and of OpenSSL. A client's close (with or without TLS's close_notify) is
// eof: HTTP itself shows where a request ends.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/net/tls/session.hpp"

namespace fixkeep::net {

// This socket type includes its executor's type, so calls are direct. asio::any_io_executor costs
// an indirect call and a reference count at each operation.
using HttpSocket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

class HttpTransport {
 public:
  static constexpr std::size_t unsent_most = std::size_t{64} << 10U;

  // `tls`: null for plain HTTP.
  HttpTransport(HttpSocket socket, std::shared_ptr<boost::asio::ssl::context> tls);

  [[nodiscard]] HttpSocket& socket() { return socket_; }
  [[nodiscard]] bool is_encrypted() const { return tls_ != nullptr; }
  [[nodiscard]] SSL* tls() const { return tls_ == nullptr ? nullptr : tls_->native(); }

  // Reads at most `size` bytes into `room`. Calls handler(error, bytes) later, never from within
  // this call. One read at a time. The handler must keep this object and `room` alive.
  template <class Handler>
  void read(char* room, std::size_t size, Handler handler);

  enum class Sent : std::uint8_t { all, some };  // how many bytes were sent
  // Sends as much as possible now. If the result is `some`, call send_rest(), and `bytes` must stay
  // valid until send_rest() calls its handler.
  [[nodiscard]] Result<Sent> send(std::string_view bytes);
  // Sends the rest, then calls handler(error). REQUIRES: the last call was send() and left a rest.
  template <class Handler>
  void send_rest(Handler handler);
  // Returns the number of bytes of the rest that the socket has not accepted yet.
  [[nodiscard]] std::size_t unsent() const { return rest_.size(); }

  // Ends our side of the connection. REQUIRES: all bytes are sent.
  void shut();
  // Continues without TLS, to answer a client that speaks plain HTTP.
  void go_on_plain() { tls_.reset(); }

 private:
  template <class Handler>
  void receive(char* room, std::size_t size, Handler handler);
  // Reads from the socket one time and gives the bytes to TLS.
  [[nodiscard]] boost::system::error_code take_received();
  [[nodiscard]] Result<std::size_t> decrypt(char* room, std::size_t size);
  [[nodiscard]] boost::system::error_code send_own();  // sends OpenSSL's own messages
  [[nodiscard]] Result<Sent> push();
  void forget_sent();  // frees the buffer of a large answer

  HttpSocket socket_;
  std::unique_ptr<TlsSession> tls_;  // null: plain bytes
  std::string encrypted_;            // with TLS: the bytes being sent
  std::string_view rest_;            // unsent part of encrypted_ or of the caller's bytes
};

template <class Handler>
void HttpTransport::read(char* room, std::size_t size, Handler handler) {
  if (tls_ == nullptr) {
    socket_.async_read_some(boost::asio::buffer(room, size), std::move(handler));
    return;
  }
  const auto got = decrypt(room, size);
  if (got && *got == 0) return receive(room, size, std::move(handler));
  boost::asio::post(socket_.get_executor(), [handler = std::move(handler), got]() mutable {
    handler(got ? boost::system::error_code{} : got.error(), got ? *got : 0);
  });
}

template <class Handler>
void HttpTransport::receive(char* room, std::size_t size, Handler handler) {
  socket_.async_wait(HttpSocket::wait_read, [this, room, size, handler = std::move(handler)](
                                                boost::system::error_code error) mutable {
    if (!error) error = take_received();
    if (error) return handler(error, std::size_t{0});
    const auto got = decrypt(room, size);
    if (!got) return handler(got.error(), std::size_t{0});
    if (*got == 0) return receive(room, size, std::move(handler));
    handler(boost::system::error_code{}, *got);
  });
}

template <class Handler>
void HttpTransport::send_rest(Handler handler) {
  socket_.async_wait(HttpSocket::wait_write,
                     [this, handler = std::move(handler)](boost::system::error_code error) mutable {
                       if (!error) {
                         const auto sent = push();
                         if (sent && *sent == Sent::some) return send_rest(std::move(handler));
                         if (!sent) error = sent.error();
                       }
                       forget_sent();
                       handler(error);
                     });
}

}  // namespace fixkeep::net
