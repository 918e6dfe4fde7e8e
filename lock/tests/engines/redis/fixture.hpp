// Real Redis servers and some masters' engines in one thread, for the tests of the redis engine.
// Thread rule: one owner. Errors: a server that does not start fails the test.
#pragma once

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "client-sim/cluster/lock_servers.hpp"
#include "lock/tests/engines/redis/masters.hpp"

namespace fixkeep::engine {

using std::chrono::milliseconds;

// Instrumented code on a busy machine is late by what would else be a reply's time.
#ifdef FIXKEEP_SANITIZED
constexpr int pace = 3;
#else
constexpr int pace = 1;
#endif

struct RedisEngineTest : testing::TestWithParam<const char*> {
  void SetUp() override {
    auto started = client_sim::EngineServers::start(GetParam());
    if (const auto* failure = std::get_if<client_sim::EngineFailure>(&started)) {
      FAIL() << failure->message;
    }
    servers = std::move(std::get<std::unique_ptr<client_sim::EngineServers>>(started));
  }
  void TearDown() override {
    for (auto& [number, each] : masters) each->engine->stop(milliseconds{500});
    context.restart();
    // A handler left behind would keep run() from returning: the test would time out.
    context.run();
  }

  [[nodiscard]] std::uint16_t port(std::size_t server) const {
    const auto address = servers->addresses()[server];
    return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }
  [[nodiscard]] EngineOptions options(std::uint16_t self) const {
    EngineOptions made;
    made.strategy = GetParam();
    made.self = MasterId{self};
    made.cluster = "test";
    for (std::size_t i = 0; i < servers->size(); ++i)
      made.servers.push_back({"127.0.0.1", port(i)});
    made.ttl = ttl;
    made.retry = milliseconds{5};
    made.reply = milliseconds{150 * pace};
    made.seed = self;
    return made;
  }
  RedisMaster& start(const EngineOptions& with) {
    auto& made = masters[with.self.number()];
    made = std::make_unique<RedisMaster>(context, with);
    return *made;
  }
  RedisMaster& start(std::uint16_t self) {
    start_all({self});
    return *masters[self];
  }
  void start_all(std::initializer_list<std::uint16_t> selves) {
    for (const auto self : selves) start(options(self));
    for (const auto self : selves) {
      EXPECT_TRUE(run_until([&] { return masters[self]->engine->ready(); })) << "never ready";
      EXPECT_TRUE(reach_all_servers(*masters[self], "probe" + std::to_string(self)))
          << "a server is not up";
    }
  }

  bool run_until(const std::function<bool()>& condition, milliseconds limit = milliseconds{5000}) {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() >= until) return false;
      context.restart();
      context.run_one_for(milliseconds{5});
    }
    return true;
  }
  void run_for(milliseconds time) {
    (void)run_until([] { return false; }, time);
  }
  bool acquire(RedisMaster& master, const std::string& key, FencingToken known = {},
               milliseconds limit = milliseconds{5000}) {
    master.acquire(key, known);
    return run_until([&] { return master.keys[key].held.has_value(); }, limit);
  }

  // Until each server has the key's record; one may come up a little later than the majority.
  bool reach_all_servers(RedisMaster& master, const std::string& key) {
    const auto reached = [&] {
      for (std::size_t i = 0; i < servers->size(); ++i) {
        const auto record = "fixkeep/test/{" + key + "}:record";
        if (command(i, {"HGET", record, "state"}) != "clean") return false;
      }
      return true;
    };
    // A machine that is busy may take long to start a server; turns take less and less then.
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (std::chrono::steady_clock::now() < until && !reached()) {
      const auto left = until - std::chrono::steady_clock::now();
      if (!acquire(master, key, {}, std::chrono::ceil<milliseconds>(left))) return false;
      master.release(key, "");
      run_for(milliseconds{10});
    }
    return reached();
  }

  // Says something to a server behind the engines' backs.
  std::string command(std::size_t server, const std::vector<std::string>& words) const {
    std::unique_ptr<redisContext, void (*)(redisContext*)> to{
        redisConnect("127.0.0.1", port(server)), redisFree};
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const auto& word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    const std::unique_ptr<void, void (*)(void*)> kept{
        redisCommandArgv(to.get(), static_cast<int>(words.size()), texts.data(), sizes.data()),
        freeReplyObject};
    if (!kept) return "no reply";
    const auto& reply = *static_cast<const redisReply*>(kept.get());
    if (reply.type == REDIS_REPLY_INTEGER) return std::to_string(reply.integer);
    return reply.type == REDIS_REPLY_NIL ? "nil" : std::string{reply.str, reply.len};
  }
  void command_all(const std::vector<std::string>& words) const {
    for (std::size_t i = 0; i < servers->size(); ++i) (void)command(i, words);
  }
  void kill_all() {
    for (std::size_t i = 0; i < servers->size(); ++i) ASSERT_TRUE(servers->kill(i));
  }
  void restart_all() {
    for (std::size_t i = 0; i < servers->size(); ++i) ASSERT_TRUE(servers->restart(i));
  }

  milliseconds ttl{300 * pace};
  boost::asio::io_context context;
  std::unique_ptr<client_sim::EngineServers> servers;
  std::map<int, std::unique_ptr<RedisMaster>> masters;
};

inline std::string subject_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace fixkeep::engine
