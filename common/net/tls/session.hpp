// One TLS connection without a socket. It converts the encrypted bytes of the wire to plain text
// and back, for both sides.
//
// Asio's ssl::stream makes its own read and write for each step. With this class, a connection
// reads and writes as without TLS, and all waiting bytes are sent in one write. OpenSSL reads the
// input in place and appends to the output: with the buffers of BIO_s_mem, each record would be
// copied two more times.
//
// Fault model: the other side sends any bytes. Thread rule: one owner. Bounds: stores the input of
// write() until take_output() returns it, and the input of take() until read() returns it. Errors:
// those of OpenSSL; reason_of() reads them. After an error, call only take_output(): the output may
// have an alert for the other side.
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
  // `context`: for example that of TlsCredentials.
  TlsSession(std::shared_ptr<boost::asio::ssl::context> context, TlsSide side);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  enum class Step : std::uint8_t { done, needs_more };  // result for the received bytes
  // Continues the handshake.
  [[nodiscard]] Result<Step> shake_hands();
  // Adds bytes as received from the other side. The bytes must stay valid until the next call of
  // read() or shake_hands() returns.
  void take(std::string_view bytes);
  // Reads the other side's plain text. Returns 0 if more bytes must be received first. `eof`: the
  // other side has ended its output.
  [[nodiscard]] Result<std::size_t> read(char* room, std::size_t size);
  // REQUIRES: the handshake is done.
  [[nodiscard]] boost::system::error_code write(std::string_view bytes);
  // Tells the other side that our output ends. REQUIRES: the handshake is done.
  void say_goodbye();
  // Appends the bytes for the other side to `out`.
  void take_output(std::string& out);

  [[nodiscard]] std::size_t output_size() const { return output_.size(); }

  [[nodiscard]] SSL* native() const { return ssl_.get(); }

 private:
  struct Wire;  // this object as OpenSSL's transport

  [[nodiscard]] boost::system::error_code error_of(int result) const;
  void keep_input();  // stores the bytes that OpenSSL has not read

  std::shared_ptr<boost::asio::ssl::context> context_;
  std::string_view input_;  // caller's bytes, or kept_input_
  std::string kept_input_;
  std::string output_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
};

// Returns true if the other side sent an HTTP request instead of a handshake.
[[nodiscard]] bool is_plain_http(boost::system::error_code error);

}  // namespace fixkeep::net
