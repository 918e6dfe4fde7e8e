// One connection to a Redis server. Commands are pipelined; the replies come in the order of the
// commands.
//
// hiredis writes and reads RESP. Asio moves the bytes. The asynchronous context of hiredis is not
// used: it blocks the thread while it resolves names, and it hides the number of bytes.
// common/net/dial/dialler.hpp dials the addresses. All commands of one turn of the event loop are
// sent in one write. If a reply is missing for longer than `reply`, the server counts as away. If
// no command was sent for this time, the connection sends PING.
//
// Invariants: 1. opened() is called at most once. closed() is called last and exactly once, unless
//                close() was called.
//             2. No handler is called from within open(), send() or close().
// Thread rule: the thread of the io_context. Lifetime: pending operations keep the connection
// alive. No handler is called after close(). Bounds: the requests that are sent within `reply`; per
// reply, most_reply_elements elements of `most_reply_bytes` each. Errors: closed(why).
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "common/net/dial/dialler.hpp"
#include "common/net/tls/server_trust.hpp"
#include "lock/engines/engine.hpp"
#include "lock/engines/redis/reply_reader.hpp"

struct redisReply;

namespace fixkeep::engine {

inline constexpr std::size_t most_reply_bytes = 1U << 20U;

struct RedisConnectionHandlers {
  std::function<void()> opened;
  std::function<void(const redisReply&)> replied;  // called once for each send(), in order
  std::function<void(Failure kind, const std::string& why)> closed;
};

class RedisConnection : public std::enable_shared_from_this<RedisConnection> {
 public:
  // `statistics` counts the bytes in both directions without PING and TLS. It has to exist until
  // close(). `trust`: null for a plain connection.
  RedisConnection(boost::asio::io_context& context, Duration reply, EngineStatistics& statistics,
                  RedisConnectionHandlers handlers, std::shared_ptr<net::ServerTrust> trust);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  void open(const ServerAddress& address);
  // REQUIRES: opened() was called.
  void send(const std::vector<std::string_view>& words);
  // Number of replies that have not arrived yet.
  [[nodiscard]] std::size_t awaited() const { return asked_.size(); }
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  struct Asked {
    Clock::time_point at;
    bool ping = false;
  };

  void begin();
  void append(const std::vector<std::string_view>& words, bool ping);
  void schedule_write();
  void write();
  void read();
  bool take_replies(std::size_t bytes);
  void watch();
  void fail(const std::string& why, Failure kind = Failure::unreachable);

  boost::asio::io_context& context_;
  const Duration reply_;
  EngineStatistics* statistics_;
  RedisConnectionHandlers handlers_;
  net::Dialler dialler_;
  net::TrustedStream<boost::asio::ip::tcp::socket> stream_;
  boost::asio::steady_timer timer_;  // limit to open; then the check for late replies
  ReplyReader reader_;
  std::array<char, 16U << 10U> input_{};
  std::deque<Asked> asked_;
  std::string pending_;
  std::string in_flight_;
  Clock::time_point last_sent_;
  bool opened_ = false;
  bool writing_ = false;
  bool write_posted_ = false;
  bool closed_ = false;
};

}  // namespace fixkeep::engine
