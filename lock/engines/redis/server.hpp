// One Redis server as long as the engine lives. It is dialled again and again with growing pauses,
// greeted and sent the commands of RedlockMachine.
//
// The greeting is AUTH if there is a password, INFO server, INFO replication and SCRIPT LOAD. A
// replica is turned away. So is a server that refuses commands for every key. Both are dialled
// again like absent ones. A server counts by the answer of INFO server. A restarted server may have
// forgotten a lock that still holds. It has to be up for ttl: no lock lasts longer if all masters
// of a cluster have the same ttl. INFO counts in seconds of the wall clock. It may have one too
// many, so one is taken off. A server with a known run_id waits no longer than it did then.
//
// Invariants: 1. up(true) and up(false) alternate, up(true) first.
//             2. A command is sent only while up. It is answered at most once before up(false).
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

// INFO server says this of a server's life.
struct RedisLife {
  std::string run_id;  // another one after each restart
  std::chrono::seconds uptime{0};
};
[[nodiscard]] std::optional<RedisLife> parse_life(std::string_view info);
// The wait for a server with this uptime.
[[nodiscard]] Duration restart_delay(std::chrono::seconds uptime, Duration ttl);

struct RedisServerHandlers {
  std::function<void(bool up)> up;
  std::function<void(const GroupKey&, std::uint64_t serial, lock::RedlockReply)> replied;
};

class RedisServer {
 public:
  static constexpr std::chrono::milliseconds shortest_pause{20};
  static constexpr std::chrono::milliseconds longest_pause{1000};

  // `options` and `statistics` have to last as long as this. Dials at once.
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
  // Says nothing any more. Leaves nothing in the io_context.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  struct Asked {
    GroupKey key;
    std::uint64_t serial = 0;
    RedisCall call;
    bool by_text = false;  // EVAL: the server did not know the script
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
  std::size_t greeting_ = 0;         // replies to it that have come
  std::array<std::string, all_redis_scripts.size()> digests_;
  std::deque<Asked> asked_;
  std::string run_id_;           // id of the run seen last
  Clock::time_point counts_at_;  // end of that run's restart delay
  Duration pause_{shortest_pause};
  bool up_ = false;
  bool was_up_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // a timer that has come may outlive us
  std::string trouble_;      // trouble in the last log line; empty: none
  std::string key_trouble_;  // the last error about a key
};

}  // namespace fixkeep::engine
