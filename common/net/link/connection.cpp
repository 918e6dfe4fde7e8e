#include "common/net/link/connection.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstring>

#include "common/net/tls/credentials.hpp"
#include "common/wire/codec.hpp"

namespace fixkeep::net {
namespace {

namespace asio = boost::asio;

constexpr std::size_t read_bytes = 64U << 10U;
constexpr std::size_t cipher_bytes = 32U << 10U;  // two of the largest records

}  // namespace

LinkConnection::LinkConnection(LinkSocket socket, std::size_t send_queue_bytes,
                               LinkCounters& counters)
    : socket_(std::move(socket)), send_queue_bytes_(send_queue_bytes), counters_(counters) {
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
  const auto endpoint = socket_.remote_endpoint(ignored);
  if (!ignored) {
    remote_address_ = endpoint.address().to_string();
    remote_ = remote_address_ + ":" + std::to_string(endpoint.port());
  }
  input_.resize(read_bytes);
}

asio::awaitable<Result<CertifiedNode>> LinkConnection::secure(
    std::shared_ptr<TlsCredentials> credentials, Handshake::Side side) {
  const auto self = shared_from_this();
  const auto tls_side = side == Handshake::Side::dialler ? TlsSide::client : TlsSide::server;
  tls_ = std::make_unique<TlsSession>(
      std::shared_ptr<asio::ssl::context>{credentials, &credentials->context()}, tls_side);
  cipher_text_.resize(cipher_bytes);
  const auto error = co_await shake_hands();
  if (!error) co_return peer_of(tls_->native());
  const auto reason = reason_ ? reason_ : reason_of(tls_->native(), error);
  if (reason == Errc::not_tls) tls_.reset();  // the next messages are plain text
  co_return reason;
}

asio::awaitable<boost::system::error_code> LinkConnection::shake_hands() {
  constexpr auto awaited = asio::as_tuple(asio::use_awaitable);
  for (;;) {
    const auto step = tls_->shake_hands();
    std::string said;
    tls_->take_output(said);
    if (!said.empty()) {
      const auto [error, bytes] = co_await asio::async_write(socket_, asio::buffer(said), awaited);
      if (error && step) co_return error;
    }
    if (!step) co_return step.error();
    if (*step == TlsSession::Step::done) co_return boost::system::error_code{};
    if (const auto error = co_await read_cipher_text()) co_return error;
  }
}

asio::awaitable<boost::system::error_code> LinkConnection::read_cipher_text() {
  const auto [error, bytes] = co_await socket_.async_read_some(asio::buffer(cipher_text_),
                                                               asio::as_tuple(asio::use_awaitable));
  if (!error) tls_->take({cipher_text_.data(), bytes});
  co_return error;
}

std::string LinkConnection::channel_secret() const {
  return channel_key(tls_->native());
}

bool LinkConnection::is_revoked_by(const TlsCredentials& credentials) const {
  return tls_ && credentials.revokes_peer_of(tls_->native());
}

asio::awaitable<std::tuple<boost::system::error_code, std::size_t>> LinkConnection::read_some(
    asio::mutable_buffer room) {
  constexpr auto awaited = asio::as_tuple(asio::use_awaitable);
  if (!tls_) co_return co_await socket_.async_read_some(room, awaited);
  for (;;) {
    const auto said = tls_->read(static_cast<char*>(room.data()), room.size());
    if (!said) co_return std::tuple{reason_of(tls_->native(), said.error()), std::size_t{0}};
    if (*said > 0) co_return std::tuple{boost::system::error_code{}, *said};
    // Does not call read_cipher_text(): this saves a coroutine per message.
    const auto [error, bytes] =
        co_await socket_.async_read_some(asio::buffer(cipher_text_), awaited);
    if (error) co_return std::tuple{error, std::size_t{0}};
    tls_->take({cipher_text_.data(), bytes});
  }
}

std::string LinkConnection::remote() const {
  return remote_;
}

bool LinkConnection::hears_tls() const {
  constexpr auto alert = '\x15';
  constexpr auto handshake = '\x16';
  constexpr auto version = '\x03';
  return !tls_ && input_end_ >= 2 && (input_[0] == alert || input_[0] == handshake) &&
         input_[1] == version;
}

void LinkConnection::send_tls_alert() {
  // An alert: a record with the two bytes "fatal" and "protocol_version" (RFC 8446, 5.1 and 6).
  send(std::string_view{"\x15\x03\x03\x00\x02\x02\x46", 7});
}

bool LinkConnection::frame_waits() const {
  const std::string_view waiting{input_.data() + input_begin_, input_end_ - input_begin_};
  if (waiting.size() < wire::prefix_bytes) return false;
  const auto length = wire::payload_length(waiting);
  return !length || waiting.size() >= wire::prefix_bytes + *length;
}

asio::awaitable<Result<std::string_view>> LinkConnection::read_frame(std::size_t most) {
  const auto self = shared_from_this();
  for (;;) {
    const std::string_view waiting{input_.data() + input_begin_, input_end_ - input_begin_};
    if (waiting.size() >= wire::prefix_bytes) {
      const auto length = wire::payload_length(waiting);
      if (!length || *length > most) co_return Errc::frame_too_large;
      const auto whole = wire::prefix_bytes + *length;
      if (waiting.size() >= whole) {
        input_begin_ += whole;
        co_return waiting.substr(wire::prefix_bytes, *length);
      }
      if (input_begin_ + whole > input_.size()) {
        std::memmove(input_.data(), waiting.data(), waiting.size());
        input_begin_ = 0;
        input_end_ = waiting.size();
        input_.resize(std::max(input_.size(), whole));
      }
    }
    if (input_begin_ == input_end_) input_begin_ = input_end_ = 0;
    if (input_end_ == input_.size()) {
      std::memmove(input_.data(), input_.data() + input_begin_, input_end_ - input_begin_);
      input_end_ -= input_begin_;
      input_begin_ = 0;
    }
    const auto room = asio::buffer(input_.data() + input_end_, input_.size() - input_end_);
    const auto [error, bytes] = co_await read_some(room);
    if (error) co_return reason_ ? reason_ : error;
    input_end_ += bytes;
    counters_.bytes_received += bytes;
    heard_ = true;
  }
}

bool LinkConnection::send(std::string_view frames) {
  if (!open() || shut_when_sent_) return false;
  if (pending_.size() + frames.size() > send_queue_bytes_) {
    shut(Errc::send_queue_full);
    return false;
  }
  pending_ += frames;
  schedule_write();
  return true;
}

bool LinkConnection::send(const wire::Message& message) {
  if (!open() || shut_when_sent_) return false;
  wire::append_frame(message, pending_);
  ++counters_.frames_sent;
  if (pending_.size() > send_queue_bytes_) {
    shut(Errc::send_queue_full);
    return false;
  }
  schedule_write();
  return true;
}

void LinkConnection::send_heartbeat() {
  static constexpr std::string_view empty_frame{"\0\0\0\0", wire::prefix_bytes};
  if (!sent_since_heartbeat_ && !writing_) send(empty_frame);
  sent_since_heartbeat_ = false;
}

// The write happens in the next turn of the loop, so the output of one batch is sent together.
void LinkConnection::schedule_write() {
  sent_since_heartbeat_ = true;
  if (writing_ || write_posted_) return;
  write_posted_ = true;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->write_posted_ = false;
    self->write();
  });
}

void LinkConnection::write() {
  if (writing_ || pending_.empty() || !open()) return;
  writing_ = true;
  std::swap(pending_, in_flight_);
  ++counters_.writes;
  const std::size_t said = in_flight_.size();
  if (tls_) {
    if (const auto error = tls_->write(in_flight_)) {
      writing_ = false;
      return shut(error);
    }
    in_flight_.clear();
    tls_->take_output(in_flight_);
  }
  asio::async_write(
      socket_, asio::buffer(in_flight_),
      [self = shared_from_this(), said](boost::system::error_code error, std::size_t) {
        self->handle_written(error, said);
      });
}

void LinkConnection::handle_written(boost::system::error_code error, std::size_t bytes) {
  writing_ = false;
  if (!error) counters_.bytes_sent += bytes;
  in_flight_.clear();
  if (error) {
    shut(error);
  } else if (!pending_.empty()) {
    write();
  } else if (shut_when_sent_) {
    end_output();
  }
}

void LinkConnection::shut(boost::system::error_code reason) {
  if (!reason_) reason_ = reason;
  boost::system::error_code ignored;
  socket_.shutdown(LinkSocket::shutdown_both, ignored);
  socket_.close(ignored);
}

void LinkConnection::shut_when_sent(boost::system::error_code reason) {
  if (!reason_) reason_ = reason;
  shut_when_sent_ = true;
  if (!writing_ && pending_.empty()) end_output();
}

void LinkConnection::finish(boost::system::error_code reason) {
  only_output_ = true;
  shut_when_sent(reason);
}

void LinkConnection::end_output() {
  if (!only_output_) return shut(reason_);
  boost::system::error_code ignored;
  socket_.shutdown(LinkSocket::shutdown_send, ignored);
}

}  // namespace fixkeep::net
