// A master as an engine sees it, without the master: asks, releases, and notes what it is told.
//
// Several users may share one io_context, so that a test sees all engines move in one order.
// Thread rule: that of the io_context. Errors: gtest failures when an engine breaks its contract.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

using Clock = std::chrono::steady_clock;

class EngineUser {
 public:
  struct Key {
    std::uint64_t round = 0;
    bool wanted = false;
    std::optional<lock::Granted> granted;
    std::uint64_t losses = 0;
    FencingToken highest;
    Clock::time_point granted_at;
    Clock::time_point lost_at;
  };

  EngineUser(boost::asio::io_context& context, const EngineOptions& options) {
    auto made =
        make_engine(context, options,
                    {.on_reply = [this](const auto& key, const auto& reply) { heard(key, reply); },
                     .on_ready = [this](bool ready) { ready_changes.push_back(ready); }});
    EXPECT_TRUE(made.has_value());
    engine = std::move(*made);
  }

  void acquire(const std::string& name) {
    auto& key = keys[name];
    key.wanted = true;
    key.granted.reset();
    perform(name, {lock::AskEngine::Call::acquire, ++key.round, key.highest, {}});
  }
  void abandon(const std::string& name) {
    auto& key = keys[name];
    key.wanted = false;
    perform(name, {lock::AskEngine::Call::abandon, key.round, key.highest, {}});
  }
  // Under a token of `bump` more than the one granted, as after a refusal by a worker.
  void release(const std::string& name, std::string bytes, bool uncertain = false,
               std::uint64_t bump = 0) {
    auto& key = keys[name];
    ASSERT_TRUE(key.granted.has_value());
    auto token = key.granted->token;
    token.counter += bump;
    key.highest = std::max(key.highest, token);
    key.granted.reset();
    key.wanted = false;
    lock::LockValue value{.stamp = token, .fence = token, .uncertain = uncertain};
    value.bytes = std::move(bytes);
    perform(name, {lock::AskEngine::Call::release, key.round, token, std::move(value)});
  }

  [[nodiscard]] bool holds(const std::string& name) const {
    const auto found = keys.find(name);
    return found != keys.end() && found->second.granted.has_value();
  }
  [[nodiscard]] const lock::Granted& grant(const std::string& name) {
    return keys.at(name).granted.value();
  }

  std::unique_ptr<Engine> engine;
  std::map<std::string, Key> keys;
  std::vector<bool> ready_changes;
  std::function<void(const std::string&)> on_granted;

 private:
  void perform(const std::string& name, lock::AskEngine&& ask) {
    performing_ = true;
    engine->perform(GroupKey{name}, std::move(ask));
    performing_ = false;
  }

  void heard(const GroupKey& group, const lock::EngineReply& reply) {
    EXPECT_FALSE(performing_) << "the handler was called from within perform()";
    auto& key = keys[group.text()];
    if (!key.wanted || reply.round != key.round) return;
    if (const auto* granted = std::get_if<lock::Granted>(&reply.said)) {
      EXPECT_FALSE(key.granted.has_value()) << "granted twice";
      EXPECT_GT(granted->token.counter, key.highest.counter) << "the token does not grow";
      key.granted = *granted;
      key.granted_at = Clock::now();
      key.highest = std::max(key.highest, granted->token);
      if (on_granted) on_granted(group.text());
    } else {
      EXPECT_EQ(std::get<lock::Lost>(reply.said).reason, lock::LostReason::engine_failure);
      key.granted.reset();
      key.wanted = false;
      key.lost_at = Clock::now();
      ++key.losses;
    }
  }

  bool performing_ = false;
};

// Runs the context until the condition holds. False: it did not within the limit.
[[nodiscard]] inline bool run_until(boost::asio::io_context& context,
                                    const std::function<bool()>& condition,
                                    std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (!condition()) {
    if (Clock::now() >= end) return false;
    context.restart();
    context.run_one_for(std::chrono::milliseconds{5});
  }
  return true;
}

inline void run_for(boost::asio::io_context& context, std::chrono::milliseconds time) {
  (void)run_until(
      context, [] { return false; }, time);
}

}  // namespace fixkeep::engine
