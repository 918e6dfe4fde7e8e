// Decides which foreign servers are trusted, and which certificate they get from us. TLS is 1.2 or
// 1.3. The server's certificate must name the dialled host, and an authority in the files must have
// signed it.
//
// Thread rule: immutable after loading. Fault model: the server sends any certificate. Bounds: as
// in certificate_files.hpp. Errors of load(): one sentence that names the file and the necessary
// change. Errors of handshakes: those of OpenSSL.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "common/net/tls/identity.hpp"

namespace fixkeep::net {

// PEM texts, used instead of files.
struct TlsTexts {
  std::string authority;
  std::string certificate;
  std::string key;

  friend bool operator==(const TlsTexts&, const TlsTexts&) = default;
};

class ServerTrust {
 public:
  using Loaded = std::variant<std::shared_ptr<ServerTrust>, std::string>;
  // Certificate and key may both be empty: then this node shows none.
  [[nodiscard]] static Loaded load(const TlsFiles& files);
  [[nodiscard]] static Loaded read(const TlsTexts& texts);

  [[nodiscard]] boost::asio::ssl::context& context() { return context_; }
  // Makes `connection` ask for the host by name and trust no other host.
  static void expect_host(SSL* connection, const std::string& host);
  // Returns the problem of the server's certificate if this caused the handshake's `error`.
  // Otherwise returns `error`.
  [[nodiscard]] static boost::system::error_code reason(SSL* connection,
                                                        boost::system::error_code error);

 private:
  ServerTrust();
  [[nodiscard]] std::string take(const TlsFiles& files);

  boost::asio::ssl::context context_;
};

// A connection to a trusted server; a plain connection if `trust` is null. The connection is an
// asynchronous stream of Asio over `Next`. The owner connects, limits and closes the stream `Next`
// itself.
//
// Thread rule: as for `Next`. Bounds: with TLS, a record in each direction.
template <class Next>
class TrustedStream {
 public:
  using executor_type = typename Next::executor_type;

  template <class Context>
  TrustedStream(Context& context, std::shared_ptr<ServerTrust> trust)
      : next_(context), trust_(std::move(trust)) {}

  [[nodiscard]] Next& next() { return next_; }
  [[nodiscard]] executor_type get_executor() { return next_.get_executor(); }

  // Call after each connect. Without trust the token is completed immediately with error_code{}.
  template <class Token>
  auto async_welcome(const std::string& host, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(
        [this](auto handler, const std::string& of) { this->welcome(of, std::move(handler)); },
        token, host);
  }
  template <class Buffers, class Token>
  auto async_read_some(const Buffers& room, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, const Buffers& into) {
          if (tls_) {
            tls_->async_read_some(into, std::move(handler));
          } else {
            next_.async_read_some(into, std::move(handler));
          }
        },
        token, room);
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& bytes, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, const Buffers& from) {
          if (tls_) {
            tls_->async_write_some(from, std::move(handler));
          } else {
            next_.async_write_some(from, std::move(handler));
          }
        },
        token, bytes);
  }

 private:
  void welcome(const std::string& host, auto handler) {
    if (!trust_) {
      boost::asio::post(get_executor(), [handler = std::move(handler)]() mutable {
        handler(boost::system::error_code{});
      });
      return;
    }
    tls_.emplace(next_, trust_->context());
    ServerTrust::expect_host(tls_->native_handle(), host);
    tls_->async_handshake(
        boost::asio::ssl::stream_base::client,
        [this, handler = std::move(handler)](boost::system::error_code error) mutable {
          handler(ServerTrust::reason(tls_->native_handle(), error));
        });
  }

  Next next_;
  std::shared_ptr<ServerTrust> trust_;
  std::optional<boost::asio::ssl::stream<Next&>> tls_;
};

}  // namespace fixkeep::net
