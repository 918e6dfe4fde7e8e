// The caller's side of one engine, for the tests of the redis engine: one round a key at a time.
// Thread rule: one owner. Errors: a reply that breaks the contract of engine.hpp fails the test.
#pragma once

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lock/engines/engine.hpp"

namespace fixkeep::engine {

using Call = lock::AskEngine::Call;

class RedisMaster {
 public:
  RedisMaster(boost::asio::io_context& context, const EngineOptions& options)
      : self_(options.self) {
    EngineHandlers handlers;
    handlers.on_reply = [this](const GroupKey& key, const lock::EngineReply& reply) {
      EXPECT_FALSE(performing_) << "said from within perform()";
      auto& mine = keys[key.text()];
      if (reply.round != mine.round || !mine.asking) {
        ++unasked;
      } else if (const auto* granted = std::get_if<lock::Granted>(&reply.said)) {
        EXPECT_FALSE(mine.held);
        mine.held = *granted;
        if (on_granted) on_granted(key.text());
      } else {
        mine.asking = false;
        mine.held.reset();
        ++mine.losses;
      }
    };
    handlers.on_ready = [this](bool ready) { readiness.push_back(ready); };
    auto made = make_engine(context, options, handlers);
    EXPECT_TRUE(made.has_value());
    engine = std::move(*made);
  }

  void acquire(const std::string& name, FencingToken known = {}) {
    auto& key = keys[name];
    key.asking = true;
    perform(name, {Call::acquire, ++key.round, known, {}});
  }
  void abandon(const std::string& name) {
    auto& key = keys[name];
    key.asking = false;
    key.held.reset();
    perform(name, {Call::abandon, key.round, {}, {}});
  }
  // Releases as the holder, after a fence if one was due.
  void release(const std::string& name, const std::string& bytes, bool uncertain = false) {
    auto& key = keys[name];
    const auto token = key.held->token;
    key.asking = false;
    key.held.reset();
    perform(name, {Call::release, key.round, token, {token, {}, uncertain, bytes}});
  }

  struct Key {
    std::uint64_t round = 0;
    bool asking = false;  // since acquire(), and holding too
    std::optional<lock::Granted> held;
    int losses = 0;
  };
  std::map<std::string, Key> keys;
  std::vector<bool> readiness;
  int unasked = 0;  // replies to nothing that was open
  std::function<void(const std::string& key)> on_granted;
  std::unique_ptr<Engine> engine;

 private:
  void perform(const std::string& name, lock::AskEngine ask) {
    performing_ = true;
    engine->perform(GroupKey{name}, std::move(ask));
    performing_ = false;
  }

  MasterId self_;
  bool performing_ = false;
};

}  // namespace fixkeep::engine
