// One connection of a LinkHub: its socket, its unsent bytes and its last sign of life.
//
// Internal to LinkHub. Invariants: 1. at most one write is outstanding; later output collects in
// `pending_` for the next write. 2. after shut() no byte is read or written. Thread rule: that of
// LinkHub. Bounds: at most `send_queue_bytes` wait to be sent; the buffer has one frame of
// wire/limits.hpp.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/base/result.hpp"
#include "common/net/link/handshake.hpp"
#include "common/net/link/hub.hpp"
#include "common/net/tls/session.hpp"

namespace fixkeep::net {

using LinkSocket = boost::asio::ip::tcp::socket;

class LinkConnection : public std::enable_shared_from_this<LinkConnection> {
 public:
  using Clock = std::chrono::steady_clock;

  LinkConnection(LinkSocket socket, std::size_t send_queue_bytes, LinkCounters& counters);

  // From now on all bytes use TLS. Exception: if the other side does not speak TLS (error not_tls),
  // the bytes stay plain. Returns the other node, as named by its certificate.
  boost::asio::awaitable<Result<CertifiedNode>> secure(std::shared_ptr<TlsCredentials> credentials,
                                                       Handshake::Side side);
  // Returns the channel_key() of the TLS connection. REQUIRES: secure() has succeeded.
  [[nodiscard]] std::string channel_secret() const;

  // See TlsCredentials; false without TLS.
  [[nodiscard]] bool is_revoked_by(const TlsCredentials& credentials) const;

  // Returns the next frame's payload, which is valid until the next call. `most` limits its length.
  boost::asio::awaitable<Result<std::string_view>> read_frame(std::size_t most);
  // Returns true if the other side has begun with a TLS record although we use no TLS. REQUIRES:
  // the only call of read_frame() has failed, because the frame is too large.
  [[nodiscard]] bool hears_tls() const;
  // Sends a TLS alert: we do not speak TLS.
  void send_tls_alert();
  // Returns true if the buffer has a whole frame, so that read_frame() would not wait.
  [[nodiscard]] bool frame_waits() const;

  // Appends frames to the queue. Returns false if the queue is full or the connection is shut.
  bool send(std::string_view frames);
  bool send(const wire::Message& message);
  // Starts to write the queue. If a write is active, that write sends the queue too.
  void write();
  // Sends an empty frame if no frame was sent since the last call.
  void send_heartbeat();

  // Closes the socket. An active read or write ends with an error. Only the first reason is stored.
  void shut(boost::system::error_code reason);
  // Shuts the connection when the whole queue has been sent.
  void shut_when_sent(boost::system::error_code reason);
  // Ends the output when the whole queue has been sent, and leaves the socket to its reader. If the
  // socket were closed with unread input, the system would drop bytes that the other side has not
  // read yet.
  void finish(boost::system::error_code reason);

  [[nodiscard]] bool open() const { return socket_.is_open(); }
  [[nodiscard]] boost::system::error_code reason() const { return reason_; }
  [[nodiscard]] std::string remote() const;  // "host:port"
  [[nodiscard]] const std::string& remote_address() const { return remote_address_; }

  // Returns how long the other side has been silent. `passed`: the time since the last call.
  Clock::duration silence_after(Clock::duration passed) {
    silence_ = std::exchange(heard_, false) ? Clock::duration{} : silence_ + passed;
    return silence_;
  }

  const Clock::time_point since = Clock::now();
  Peer node;                        // set by the handshake
  std::uint32_t other_version = 0;  // see Handshake
  bool established = false;         // on_up was called, and on_down not yet

 private:
  boost::asio::awaitable<std::tuple<boost::system::error_code, std::size_t>> read_some(
      boost::asio::mutable_buffer room);
  boost::asio::awaitable<boost::system::error_code> shake_hands();
  boost::asio::awaitable<boost::system::error_code> read_cipher_text();
  void schedule_write();
  void end_output();
  void handle_written(boost::system::error_code error, std::size_t bytes);

  LinkSocket socket_;
  std::unique_ptr<TlsSession> tls_;  // null: plain bytes
  std::string cipher_text_;          // with TLS: encrypted bytes as received
  std::size_t send_queue_bytes_;
  LinkCounters& counters_;
  std::string remote_;
  std::string remote_address_;
  boost::system::error_code reason_;
  std::string input_;
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  std::string pending_;
  std::string in_flight_;
  bool heard_ = true;  // bytes were read since the last silence_after()
  Clock::duration silence_{};
  bool writing_ = false;
  bool write_posted_ = false;
  bool sent_since_heartbeat_ = false;
  bool shut_when_sent_ = false;
  bool only_output_ = false;  // shut_when_sent_ applies to our direction only, see finish()
};

}  // namespace fixkeep::net
