// The common part of the engines for etcd, ZooKeeper, PostgreSQL and Kubernetes: keys with their
// machines, requests, replies, readiness and stop(). An engine derives from QueueShell.
//
// Key is the state of one key. It has a QueueLock `lock` and a constructor from the MasterId.
// Thread rule: the thread of the io_context. Bounds: `options.keys` keys. Errors: see engine.hpp.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lock/core/server/queue_lock.hpp"
#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

template <class Key>
class QueueShell : public std::enable_shared_from_this<QueueShell<Key>> {
 public:
  QueueShell(boost::asio::io_context& given_context, const EngineOptions& given_options,
             EngineHandlers given_handlers)
      : context(given_context),
        options(given_options),
        handlers(std::move(given_handlers)),
        stop_timer_(context),
        again_timer_(context) {}
  virtual ~QueueShell() = default;

  void perform(const GroupKey& group, const lock::AskEngine& ask) {
    if (closed_ || stopping_) return;
    auto found = keys.find(group);
    if (found == keys.end()) {
      if (ask.call != lock::AskEngine::Call::acquire) return;
      if (keys.size() >= options.keys) {
        lock::EngineReply lost{ask.round, lock::Lost{lock::LostReason::engine_failure}};
        boost::asio::post(context, [self = kept(), group, lost] { self->say(group, lost); });
        return;
      }
      found = keys.emplace(group, Key{options.self}).first;
    }
    act(GroupKey{group}, found->second, found->second.lock.asked(ask, session_open()));
  }

  // Waits until all values are written, then closes the session. Ends after `limit` at the latest.
  void stop(Duration limit) {
    if (closed_ || stopping_) return;
    stopping_ = true;
    stop_timer_.expires_after(limit);
    stop_timer_.async_wait([self = kept()](boost::system::error_code error) {
      if (!error) self->close();
    });
    boost::asio::post(context, [self = kept()] { self->end_if_done(); });
  }

  void close() {
    if (std::exchange(closed_, true)) return;
    stop_timer_.cancel();
    again_timer_.cancel();
    end();
  }

  [[nodiscard]] bool ready() const { return said_ready_ && !stopping_; }

  [[nodiscard]] virtual bool begin() { return true; }  // false: the engine cannot run
  virtual void refresh_statistics() {}                 // counters of the client library

  EngineStatistics statistics;

 protected:
  // --- functions that the engine adds
  virtual void send(const GroupKey& group, Key& key, lock::QueueRequest request) = 0;
  [[nodiscard]] virtual bool session_open() const = 0;
  virtual void acted(Key&) {}  // the machine may have ended its wait
  // Ends the session at the server, then calls close().
  virtual void say_goodbye() = 0;
  virtual void end() = 0;  // closes everything

  // --- functions that the engine calls
  // They call handlers, which may even close the engine. The engine therefore keeps
  // itself (kept()) and checks closed() afterwards.

  // Carries out the machine's output. Afterwards, the key may no longer exist.
  void act(const GroupKey& group, Key& key, const lock::QueueOutput& output) {
    acted(key);
    if (output.request) send(group, key, *output.request);
    if (output.reply) say(group, *output.reply);
    if (closed_) return;
    const auto found = keys.find(group);
    if (found != keys.end() && found->second.lock.forgettable()) keys.erase(found);
    if (stopping_) end_if_done();
  }

  void reachable(bool can_be_reached) {
    reachable_ = can_be_reached;
    say_ready();
  }
  // Notes a refusal: the server counts as away until it serves again. Returns true for the first
  // refusal.
  bool refused(std::string_view why) {
    statistics.failed(Failure::refused, "", why);
    if (std::exchange(refusing_, true)) return false;
    say_ready();
    return true;
  }
  void served() {
    if (std::exchange(refusing_, false)) say_ready();
  }

  void session_opened() { for_all(&lock::QueueLock::session_opened); }
  void session_lost() {
    again_.clear();
    for_all([this](lock::QueueLock& machine) {
      if (machine.holding()) ++statistics.locks_lost;
      return machine.session_lost();
    });
  }
  void everybody_moved() { for_all(&lock::QueueLock::moved); }
  void moved(const GroupKey& group) {
    const auto found = keys.find(group);
    if (!closed_ && found != keys.end()) act(group, found->second, found->second.lock.moved());
  }

  // Sends a refused request again after a pause, or at the next send_again().
  void send_later(const GroupKey& group, lock::QueueRequest request) {
    again_.emplace_back(group, request);
    if (again_.size() > 1) return;
    again_timer_.expires_after(std::chrono::milliseconds{200});
    again_timer_.async_wait([self = kept()](boost::system::error_code error) {
      if (!error && !self->closed_ && self->session_open()) self->send_again();
    });
  }
  void send_again() {
    for (const auto& [group, request] : std::exchange(again_, {})) {
      const auto found = keys.find(group);
      if (found != keys.end()) send(group, found->second, request);
    }
  }

  std::shared_ptr<QueueShell> kept() { return this->shared_from_this(); }
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] bool stopping() const { return stopping_; }

  boost::asio::io_context& context;
  const EngineOptions options;
  EngineHandlers handlers;
  std::unordered_map<GroupKey, Key> keys;

 private:
  void say_ready() {
    const bool ready = reachable_ && !refusing_;
    if (closed_ || stopping_ || ready == said_ready_) return;
    said_ready_ = ready;
    if (handlers.on_ready) handlers.on_ready(ready);
  }

  void say(const GroupKey& group, const lock::EngineReply& reply) {
    if (!closed_ && !stopping_) handlers.on_reply(group, reply);
  }

  // Loops over a copy of the groups, because the handler of a reply may add and remove keys.
  void for_all(auto event) {
    std::vector<GroupKey> all;
    all.reserve(keys.size());
    for (const auto& [group, key] : keys) all.push_back(group);
    for (const auto& group : all) {
      const auto found = keys.find(group);
      if (!closed_ && found != keys.end())
        act(group, found->second, std::invoke(event, found->second.lock));
    }
  }

  // Ends the session if all values are written. The end of the session frees held and waiting keys.
  void end_if_done() {
    if (closed_ || saying_goodbye_) return;
    if (!session_open()) return close();
    for (const auto& [group, key] : keys) {
      if (key.lock.ending()) return;
    }
    saying_goodbye_ = true;
    say_goodbye();
  }

  boost::asio::steady_timer stop_timer_;
  boost::asio::steady_timer again_timer_;
  std::vector<std::pair<GroupKey, lock::QueueRequest>> again_;
  bool reachable_ = false;
  bool refusing_ = false;
  bool said_ready_ = false;
  bool stopping_ = false;
  bool saying_goodbye_ = false;
  bool closed_ = false;
};

}  // namespace fixkeep::engine
