// One Redis server of an engine. This class dials the server until the engine ends, with growing
// pauses between the tries. It sends the greeting and then RedlockMachine's commands.
//
// The greeting consists of AUTH (if there is a password), "INFO server", "INFO replication" and
// SCRIPT LOAD. We refuse a replica and a server that refuses commands for every key. Such servers
// are dialled again, like absent servers. The reply to "INFO server" decides when a server is up. A
// restarted server may have forgotten a lock that is still valid, so the server has to run for ttl
// first. No lock lasts longer than ttl if all masters of a cluster have the same ttl. INFO reports
// the uptime in seconds of the wall clock. The uptime can be one second too high, so we subtract
// one second. For a known run_id, the restart delay is not computed again.
//
// Invariants: 1. up(true) and up(false) alternate, up(true) first.
//             2. A command is sent only while the server is up. Its answer arrives at most once,
//                before up(false).
// Thread rule: the thread of the io_context. Handlers are never called from within a function here.
// Bounds: pauses of `shortest_pause` to `longest_pause`. Errors: each change is logged once.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/random.hpp"
#include "lock/engines/engine.hpp"
#include "lock/engines/redis/connection.hpp"
#include "lock/engines/redis/scripts.hpp"

namespace fixkeep::engine {

// The present run of the server process, from the answer to Redis' command INFO server.
struct RedisLife {
  std::string run_id;  // changes with each restart
  std::chrono::seconds uptime{0};
};
[[nodiscard]] std::optional<RedisLife> parse_life(std::string_view info);
// Returns the delay before a server with this uptime is used.
[[nodiscard]] Duration restart_delay(std::chrono::seconds uptime, Duration ttl);

struct RedisServerHandlers {
  std::function<void(bool up)> up;
  std::function<void(const GroupKey&, std::uint64_t serial, lock::RedlockReply)> replied;
};

class RedisServer {
 public:
  static constexpr std::chrono::milliseconds shortest_pause{20};
  static constexpr std::chrono::milliseconds longest_pause{1000};

  // Dials immediately. `options` and `statistics` have to outlive this object.
  RedisServer(boost::asio::io_context& context, const ServerAddress& address,
              const EngineOptions& options, EngineStatistics& statistics, Random random,
              RedisServerHandlers handlers);
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  [[nodiscard]] bool up() const { return up_; }
  // REQUIRES: up().
  void send(const GroupKey& key, const lock::RedlockCommand& command);
  [[nodiscard]] bool answers_awaited() const { return connection_ && connection_->awaited() > 0; }
  // Calls no more handlers and leaves no work in the io_context.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  struct Asked {
    GroupKey key;
    std::uint64_t serial = 0;
    RedisCall call;
    bool by_text = false;  // EVAL, since the server did not know the script
  };

  void dial();
  void greet();
  void greeted(const redisReply& reply);
  void wait_for_life(const RedisLife& life);
  void become_up();
  void replied(const redisReply& reply);
  void turned_away(const std::string& why);
  void closed(Failure kind, const std::string& why);
  void ask(Asked asked);

  boost::asio::io_context& context_;
  const ServerAddress address_;
  const EngineOptions& options_;
  EngineStatistics& statistics_;
  Random random_;
  RedisServerHandlers handlers_;
  std::shared_ptr<RedisConnection> connection_;
  boost::asio::steady_timer timer_;  // the next dial, or the restart delay
  std::size_t greeting_ = 0;         // number of replies to the greeting
  std::array<std::string, all_redis_scripts.size()> digests_;
  std::deque<Asked> asked_;
  std::string run_id_;           // id of the run seen last
  Clock::time_point counts_at_;  // end of that run's restart delay
  Duration pause_{shortest_pause};
  bool up_ = false;
  bool was_up_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // a timer's handler may outlive us
  std::string trouble_;      // reason in the last log line; empty: none
  std::string key_trouble_;  // last error for one key
};

}  // namespace fixkeep::engine
