#include "lock/engines/redis/engine.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "common/base/assert.hpp"
#include "common/base/random.hpp"
#include "common/net/steady_clock.hpp"
#include "lock/core/server/redlock_machine.hpp"
#include "lock/engines/redis/server.hpp"

namespace fixkeep::engine {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds stop_poll{5};

class RedisEngine final : public Engine {
 public:
  RedisEngine(asio::io_context& context, EngineOptions options, EngineHandlers handlers)
      : context_(context),
        options_(std::move(options)),
        machine_options_{options_.self, options_.servers.size(), options_.ttl, options_.retry,
                         options_.reply},
        handlers_(std::move(handlers)),
        // Mixes in our number. Otherwise masters with the same seed would make equal pauses and
        // collide again.
        random_(options_.seed ^ std::uint64_t{options_.self.number()} << 48U),
        timer_(context),
        stop_timer_(context) {
    for (std::size_t server = 0; server < options_.servers.size(); ++server) {
      servers_.push_back(std::make_unique<RedisServer>(
          context, options_.servers[server], options_, statistics_, Random{random_.next()},
          RedisServerHandlers{
              [this, server](bool up) { server_changed(server, up); },
              [this, server](const GroupKey& key, std::uint64_t serial, lock::RedlockReply reply) {
                step(key, lock::ServerReplied{server, serial, std::move(reply)});
                say();
              }}));
    }
  }

  ~RedisEngine() override { close(); }

  void perform(const GroupKey& key, lock::AskEngine&& ask) override {
    if (stopped_) return;
    if (ask.call == lock::AskEngine::Call::acquire && !machines_.contains(key)) {
      if (machines_.size() >= options_.keys) {
        said_.push_back({key, {ask.round, lock::Lost{lock::LostReason::engine_failure}}});
        asio::post(context_, [this, alive = std::weak_ptr{alive_}] {
          if (!alive.expired()) say();
        });
        return;
      }
      machines_.try_emplace(key, lock::RedlockMachine{machine_options_, up_});
    }
    step(key, std::move(ask));
  }

  void stop(Duration limit) override {
    if (stopped_) return;
    stopped_ = true;
    ready_ = false;
    step_all(lock::Stop{});
    timer_.cancel();
    stop_by_ = std::chrono::steady_clock::now() + limit;
    close_when_answered();
  }

  [[nodiscard]] bool ready() const override { return ready_; }
  [[nodiscard]] const EngineStatistics& statistics() const override { return statistics_; }

 private:
  struct Key {
    explicit Key(lock::RedlockMachine made) : machine(std::move(made)) {}
    lock::RedlockMachine machine;
    TimePoint timer = TimePoint::max();
  };
  struct Said {
    GroupKey key;
    lock::EngineReply reply;
  };

  // Stores the machine's replies, and say() sends them later: the caller's handler may call
  // perform() again.
  void step(const GroupKey& key, const lock::RedlockEvent& event) {
    const auto found = machines_.find(key);
    if (found == machines_.end()) return;
    auto& [machine, timer] = found->second;
    actions_.clear();
    const bool held = machine.holding();
    machine.step(event, net::steady_now(), random_, actions_);
    for (auto& action : actions_) {
      if (const auto* sent = std::get_if<lock::SendCommand>(&action)) {
        servers_[sent->server]->send(key, sent->command);
      } else if (const auto* set = std::get_if<lock::SetTimer>(&action)) {
        set_timer(key, timer, set->at);
      } else {
        auto& reply = std::get<lock::EngineReply>(action);
        if (held && std::holds_alternative<lock::Lost>(reply.said)) ++statistics_.locks_lost;
        said_.push_back({key, std::move(reply)});
      }
    }
    if (machine.forgettable()) machines_.erase(found);
  }

  void step_all(const lock::RedlockEvent& event) {
    std::vector<GroupKey> keys;
    keys.reserve(machines_.size());
    for (const auto& [key, held] : machines_) keys.push_back(key);
    for (const auto& key : keys) step(key, event);
  }

  void say() {
    if (saying_ || stopped_) return;
    saying_ = true;
    for (std::size_t next = 0; next < said_.size() && !stopped_; ++next) {
      const auto said = std::move(said_[next]);
      handlers_.on_reply(said.key, said.reply);
    }
    said_.clear();
    saying_ = false;
  }

  void server_changed(std::size_t server, bool up) {
    if (up) {
      up_.insert(server);
      step_all(lock::ServerUp{server});
    } else {
      up_.erase(server);
      step_all(lock::ServerDown{server});
    }
    say();
    const bool ready = up_.size() >= machine_options_.majority();
    if (stopped_ || ready == ready_) return;
    ready_ = ready;
    handlers_.on_ready(ready);
  }

  // --- one timer for all keys

  void set_timer(const GroupKey& key, TimePoint& timer, TimePoint at) {
    if (timer != TimePoint::max()) timers_.erase({timer, key});
    timer = at;
    if (at == TimePoint::max()) return;
    timers_.emplace(at, key);
    if (at < wakes_at_) wake_at(at);
  }

  // Sets the engine's only timer. If no key needs this time any more, the timer is not cancelled:
  // to let it expire costs less.
  void wake_at(TimePoint at) {
    wakes_at_ = at;
    timer_.expires_at(std::chrono::steady_clock::time_point{at.time_since_epoch()});
    timer_.async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code error) {
      if (error || alive.expired() || stopped_) return;
      wakes_at_ = TimePoint::max();
      const auto now = net::steady_now();
      while (!timers_.empty() && timers_.begin()->first <= now) {
        const auto key = timers_.begin()->second;
        timers_.erase(timers_.begin());
        machines_.at(key).timer = TimePoint::max();
        step(key, lock::Tick{});
      }
      if (!timers_.empty() && timers_.begin()->first < wakes_at_) wake_at(timers_.begin()->first);
      say();
    });
  }

  // --- the end

  void close_when_answered() {
    const bool awaited = std::any_of(servers_.begin(), servers_.end(),
                                     [](const auto& each) { return each->answers_awaited(); });
    if (!awaited || std::chrono::steady_clock::now() >= stop_by_) return close();
    stop_timer_.expires_after(stop_poll);
    stop_timer_.async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code error) {
      if (!error && !alive.expired()) close_when_answered();
    });
  }

  void close() {
    stopped_ = true;
    ready_ = false;
    alive_.reset();
    timer_.cancel();
    stop_timer_.cancel();
    for (auto& server : servers_) server->close();
    machines_.clear();
    timers_.clear();
  }

  asio::io_context& context_;
  const EngineOptions options_;
  const lock::RedlockOptions machine_options_;
  EngineHandlers handlers_;
  Random random_;
  EngineStatistics statistics_;
  std::vector<std::unique_ptr<RedisServer>> servers_;
  lock::ServerSet up_;
  std::unordered_map<GroupKey, Key> machines_;  // machines that are not forgettable
  std::set<std::pair<TimePoint, GroupKey>> timers_;
  asio::steady_timer timer_;
  TimePoint wakes_at_ = TimePoint::max();  // expiry of timer_
  lock::RedlockActions actions_;           // used within step()
  std::vector<Said> said_;                 // replies not yet sent to the caller
  bool saying_ = false;
  bool ready_ = false;
  bool stopped_ = false;
  asio::steady_timer stop_timer_;
  std::chrono::steady_clock::time_point stop_by_;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // see server.hpp
};

}  // namespace

Result<std::unique_ptr<Engine>> make_redis_engine(asio::io_context& context,
                                                  const EngineOptions& options,
                                                  EngineHandlers handlers) {
  const auto servers = options.servers.size();
  const bool fits = options.strategy == "redis" ? servers == 1 : servers % 2 == 1;
  if (!fits || servers > lock::most_servers || options.ttl < shortest_ttl) {
    return Errc::invalid_configuration;
  }
  return std::make_unique<RedisEngine>(context, options, std::move(handlers));
}

}  // namespace fixkeep::engine
