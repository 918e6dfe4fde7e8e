// One room as its game sees it, for the tests of the transports: a session whose worker admits
// everybody but "stranger", and notes what it hears. Games run on threads of their own.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "worker/sdk/session.hpp"

namespace fixkeep::worker::test {

inline SessionFacts facts_of(const std::string& room) {
  return {.room = room,
          .address = "game.example",
          .port = 20001,
          .capacity = 4,
          .group = "duel|eu",
          .mode = "duel",
          .token = "the token of " + room,
          .created = WallTime{std::chrono::seconds{1'700'000'000}},
          .counters = {{"rooms", {.count = 1, .capacity = 10}}},
          .lists = {{"players", {.capacity = 3, .values = {"test0"}}}}};
}

struct SdkRoom {
  explicit SdkRoom(const std::string& name = "w1-1-1", bool token_needed = false) {
    SessionHandlers handlers;
    handlers.ready = [this] { happened.emplace_back("ready"); };
    handlers.health = [this] { happened.emplace_back("health"); };
    handlers.shutdown = [this] { happened.emplace_back("shutdown"); };
    handlers.connect = [this](const PlayerId& player, const std::function<void(bool)>& answer) {
      happened.push_back("connect " + player.text());
      answer(player.text() != "stranger");
    };
    handlers.disconnect = [this](const PlayerId& player) {
      happened.push_back("disconnect " + player.text());
    };
    handlers.newcomers = [](NewcomersWord) {};
    handlers.wants = [](const Wants&) {};
    handlers.result = [this](const std::string& value,
                             const std::function<void(ResultAnswer)>& answer) {
      happened.push_back("result " + value);
      answer(value == "2" ? ResultAnswer::differs : ResultAnswer::kept);
    };
    handlers.changed = [] {};
    handlers.now = [] { return WallTime{std::chrono::seconds{1'700'000'100}}; };
    handlers.end_reservation_after = [this](auto after) {
      if (after) happened.push_back("timer " + std::to_string(after->count()));
    };
    SessionFacts facts = facts_of(name);
    facts.token_needed = token_needed;
    session = std::make_shared<Session>(std::move(facts), handlers);
  }

  std::vector<std::string> happened;
  std::shared_ptr<Session> session;
};

// The worker runs until `done`, or the test has failed.
inline void run_until(boost::asio::io_context& context, const std::function<bool()>& done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!done()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << "it does not happen";
    context.restart();
    context.run_one_for(std::chrono::milliseconds{2});
  }
}

// The worker runs while a game does something that waits, on a thread of its own.
template <class Body>
auto meanwhile(boost::asio::io_context& context, Body body) {
  auto result = std::async(std::launch::async, std::move(body));
  run_until(context,
            [&] { return result.wait_for(std::chrono::seconds{0}) == std::future_status::ready; });
  return result.get();
}

}  // namespace fixkeep::worker::test
