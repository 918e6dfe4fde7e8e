// One TLS connection without a socket: it turns bytes of the wire into the text of both sides and
// back.
//
// Asio's ssl::stream has a read and a write of its own for each step. Here a connection reads and
// writes as without TLS and waiting bytes leave in one write. OpenSSL reads bytes in place and
// appends to the output: buffers between (BIO_s_mem) would copy each record twice more.
//
// Fault model: the other side sends any bytes. Thread rule: one owner. Bounds: the input of write()
// and take() until take_output() and read() return it. Errors: OpenSSL's. reason_of() reads them.
// After one only take_output() is of use: it may hold the alert.
#pragma once

#include <openssl/types.h>

#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace fixkeep::net {

enum class TlsSide : std::uint8_t { client, server };

class TlsSession {
 public:
  // The context of credentials or of anything else.
  TlsSession(std::shared_ptr<boost::asio::ssl::context> context, TlsSide side);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  enum class Step : std::uint8_t { done, needs_more };  // result for the other side's bytes
  // Goes on with the handshake.
  [[nodiscard]] Result<Step> shake_hands();
  // The other side's bytes as they have come. They have to stay until the next call of read() or
  // shake_hands() returns.
  void take(std::string_view bytes);
  // Bytes that the other side has said; 0: more has to come first. `eof`: it says no more.
  [[nodiscard]] Result<std::size_t> read(char* room, std::size_t size);
  // REQUIRES: the handshake is done.
  [[nodiscard]] boost::system::error_code write(std::string_view bytes);
  // Tells the other side that nothing more is said. REQUIRES: the handshake is done.
  void say_goodbye();
  // Appends what has to go to the other side.
  void take_output(std::string& out);

  [[nodiscard]] std::size_t output_size() const { return output_.size(); }

  [[nodiscard]] SSL* native() const { return ssl_.get(); }

 private:
  struct Wire;  // this object as OpenSSL sees it

  [[nodiscard]] boost::system::error_code error_of(int result) const;
  void keep_input();  // keeps the bytes that OpenSSL left

  std::shared_ptr<boost::asio::ssl::context> context_;
  std::string_view input_;  // the caller's, or kept_input_
  std::string kept_input_;
  std::string output_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
};

// The other side sent a request of HTTP where a handshake was due.
[[nodiscard]] bool is_plain_http(boost::system::error_code error);

}  // namespace fixkeep::net
