#include "common/net/http/transport.hpp"

#include <array>
#include <utility>

namespace fixkeep::net {

using boost::system::error_code;

namespace {

constexpr std::size_t part_bytes = 16 * 1024;  // one TLS record
constexpr std::size_t kept_encrypted_bytes = 2 * part_bytes;

}  // namespace

HttpTransport::HttpTransport(HttpSocket socket, std::shared_ptr<boost::asio::ssl::context> tls)
    : socket_(std::move(socket)),
      tls_(tls == nullptr ? nullptr
                          : std::make_unique<TlsSession>(std::move(tls), TlsSide::server)) {}

Result<HttpTransport::Sent> HttpTransport::send(std::string_view bytes) {
  if (tls_ == nullptr) {
    rest_ = bytes;
    return push();
  }
  encrypted_.erase(0, encrypted_.size() - rest_.size());
  // Writes in small parts: OpenSSL keeps a buffer as large as the largest write.
  for (std::size_t at = 0; at < bytes.size(); at += part_bytes) {
    if (const auto error = tls_->write(bytes.substr(at, part_bytes))) return error;
    tls_->take_output(encrypted_);
  }
  rest_ = encrypted_;
  return push();
}

Result<HttpTransport::Sent> HttpTransport::push() {
  error_code error;
  rest_.remove_prefix(socket_.write_some(boost::asio::buffer(rest_), error));
  if (error && error != boost::asio::error::would_block) return error;
  if (!rest_.empty()) return Sent::some;
  forget_sent();
  return Sent::all;
}

void HttpTransport::forget_sent() {
  rest_ = {};
  encrypted_.clear();
  if (encrypted_.capacity() > kept_encrypted_bytes) std::string{}.swap(encrypted_);
}

void HttpTransport::shut() {
  if (tls_ != nullptr) {
    tls_->say_goodbye();
    (void)send_own();
  }
  error_code ignored;
  socket_.shutdown(HttpSocket::shutdown_send, ignored);
}

// All connections share one buffer: there is one thread, and OpenSSL copies the bytes it needs.
error_code HttpTransport::take_received() {
  static thread_local std::array<char, 16 * 1024> received;
  error_code error;
  const std::size_t bytes = socket_.read_some(boost::asio::buffer(received), error);
  if (error == boost::asio::error::would_block) return {};
  if (!error) tls_->take({received.data(), bytes});
  return error;
}

Result<std::size_t> HttpTransport::decrypt(char* room, std::size_t size) {
  const auto got = tls_->read(room, size);
  const auto error = send_own();  // also after an error: the output may be a TLS alert
  if (got && error) return error;
  return got;
}

// Sends OpenSSL's own messages, for example those of a handshake: a few hundred bytes. If they do
// not fit into the empty socket buffer, the client does not read, and the result is an error. While
// an answer waits, the messages wait behind the answer.
error_code HttpTransport::send_own() {
  if (!rest_.empty()) {
    return tls_->output_size() > unsent_most ? boost::asio::error::no_buffer_space : error_code{};
  }
  if (tls_->output_size() == 0) return {};
  tls_->take_output(encrypted_);
  rest_ = encrypted_;
  const auto sent = push();
  if (!sent) return sent.error();
  return *sent == Sent::all ? error_code{} : boost::asio::error::no_buffer_space;
}

}  // namespace fixkeep::net
