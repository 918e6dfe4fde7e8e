// Some masters and model servers. The test moves the clock and lets messages arrive.
// Thread rule: one owner. Errors: an action that breaks the contract of the machine fails the test.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lock/core/server/redlock_machine.hpp"
#include "lock/tests/core/server/redlock_model_server.hpp"

namespace fixkeep::lock {

using std::chrono::milliseconds;
using Call = AskEngine::Call;

inline constexpr milliseconds ttl{1000};
inline constexpr std::array<std::uint16_t, 3> everybody{1, 2, 3};

struct Table {
  explicit Table(std::size_t count, RedlockChecks made_with = {})
      : checks(made_with), servers(count) {}

  struct Master {
    RedlockMachine machine;
    Random random;
    std::uint64_t round = 0;
    std::deque<SendCommand> sent;
    std::deque<ServerReplied> replies;  // made, and not yet delivered
    std::optional<Granted> held;
    int losses = 0;
    TimePoint timer = TimePoint::max();
    int requests = 0;
  };

  Master& master(std::uint16_t self) {
    const auto found = masters.find(self);
    if (found != masters.end()) return found->second;
    RedlockOptions options{MasterId{self}, servers.size(), ttl, milliseconds{10}, ttl * 10, checks};
    ServerSet up;
    for (std::size_t i = 0; i < servers.size(); ++i) up.insert(i);
    return masters.emplace(self, Master{{options, up}, Random{self}}).first->second;
  }
  void step(std::uint16_t self, const RedlockEvent& event) {
    auto& at = master(self);
    RedlockActions out;
    at.machine.step(event, now, at.random, out);
    for (auto& action : out) {
      if (auto* sent = std::get_if<SendCommand>(&action)) {
        at.sent.push_back(std::move(*sent));
        ++at.requests;
      } else if (const auto* timer = std::get_if<SetTimer>(&action)) {
        EXPECT_GT(timer->at, now);
        at.timer = timer->at;
      } else {
        const auto& reply = std::get<EngineReply>(action);
        EXPECT_EQ(reply.round, at.round);
        if (const auto* granted = std::get_if<Granted>(&reply.said)) {
          EXPECT_FALSE(at.held);
          at.held = *granted;
        } else {
          at.held.reset();
          ++at.losses;
        }
      }
    }
  }

  void acquire(std::uint16_t self, FencingToken known = {}, std::uint64_t floor = 0) {
    step(self, AskEngine{Call::acquire, ++master(self).round, known, {}, floor});
  }
  void abandon(std::uint16_t self) {
    master(self).held.reset();
    step(self, AskEngine{Call::abandon, master(self).round, {}, {}});
  }
  void release(std::uint16_t self, const std::string& bytes) {
    const auto token = master(self).held->token;
    master(self).held.reset();
    step(self, AskEngine{Call::release, master(self).round, token, {token, {}, false, bytes}});
  }
  // Sent messages arrive. The replies wait.
  void arrive(std::uint16_t self) {
    auto& at = master(self);
    for (; !at.sent.empty(); at.sent.pop_front()) {
      const auto& [server, command] = at.sent.front();
      at.replies.push_back({server, command.serial, servers[server].carry_out(command, ttl, now)});
    }
  }
  void reply(std::uint16_t self) {
    auto& at = master(self);
    while (!at.replies.empty()) {
      const auto next = at.replies.front();
      at.replies.pop_front();
      step(self, next);
    }
  }
  // Everything that is under way, without delay.
  void deliver_all(std::uint16_t self) {
    auto& at = master(self);
    while (!at.sent.empty() || !at.replies.empty()) {
      arrive(self);
      reply(self);
    }
  }
  void pass(Duration time) { now += time; }
  void tick(std::uint16_t self) {
    step(self, Tick{});
    deliver_all(self);
  }
  bool take(std::uint16_t self, FencingToken known = {}) {
    acquire(self, known);
    deliver_all(self);
    return master(self).held.has_value();
  }
  void give(std::uint16_t self, const std::string& bytes) {
    release(self, bytes);
    deliver_all(self);
  }
  void hold(std::uint16_t self, const std::string& bytes) {
    ASSERT_TRUE(take(self));
    give(self, bytes);
  }
  int holders() {
    int count = 0;
    for (const auto& [self, each] : masters) count += each.held ? 1 : 0;
    return count;
  }

  RedlockChecks checks;
  std::vector<ModelServer> servers;
  std::map<std::uint16_t, Master> masters;
  TimePoint now{milliseconds{1'000'000}};
};

}  // namespace fixkeep::lock
