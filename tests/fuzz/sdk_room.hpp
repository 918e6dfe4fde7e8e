// One room as its game sees it, whatever the transport: the session of the SDK, and a worker that
// answers at the door later, or never.
// Thread rule: one owner. Bounds: those of the input. Errors: asserted.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "common/base/assert.hpp"
#include "worker/sdk/agones/calls.hpp"
#include "worker/sdk/session.hpp"
#include "worker/sdk/session_memory.hpp"

namespace fixkeep::fuzz {

class SdkRoom {
 public:
  SdkRoom() : session_(make_session(handlers())) {}

  [[nodiscard]] worker::Session& session() { return *session_; }

  void answer_at_the_door(bool admitted) {
    if (at_the_door_.empty()) return;
    const auto answer = std::exchange(at_the_door_.front(), {});
    at_the_door_.pop_front();
    answer(admitted);
  }
  void reservation_ends() {
    if (std::exchange(timer_runs_, false)) session_->reservation_ended();
  }

  // The next run of the worker goes on with what this one remembers.
  void check() const {
    const auto& server = session_->game_server();
    FIXKEEP_ASSERT(server.resource_version >= version_, "the version of the game server shrinks");
    version_ = server.resource_version;
    FIXKEEP_ASSERT(ready_ <= 1 && shutdown_ <= 1, "what is said once was said twice");
    const bool limited = server.state == worker::GameState::reserved;
    FIXKEEP_ASSERT(limited || !timer_runs_,
                   "a timer runs in state " + std::string{session_->state()});
    const auto message = worker::calls::message_of(server);
    FIXKEEP_ASSERT(!message.status().state().empty(), "no state");
    const auto memory = session_->memory();
    const auto again = worker::to_session_memory(worker::to_bytes(memory));
    FIXKEEP_ASSERT(again && *again == memory, "what a session remembers is lost");
    const auto next = make_session(quiet_handlers());
    next->go_on_with(worker::SessionMemory{memory});
    auto next_memory = next->memory();
    FIXKEEP_ASSERT(next_memory.resource_version > memory.resource_version, "the game is not told");
    next_memory.resource_version = memory.resource_version;
    FIXKEEP_ASSERT(next_memory == memory, "the next run remembers something else");
  }

 private:
  using Handlers = worker::SessionHandlers;

  static std::shared_ptr<worker::Session> make_session(Handlers handlers) {
    worker::SessionFacts facts;
    facts.room = "w1-1-1";
    facts.address = "game.example";
    facts.port = 20001;
    facts.capacity = 4;
    facts.group = "duel|eu";
    facts.mode = "duel";
    facts.created = worker::WallTime{std::chrono::seconds{1'700'000'000}};
    facts.counters = {{"rooms", {.count = 1, .capacity = 10}}};
    facts.lists = {{"players", {.capacity = 3, .values = {"test0"}}}};
    return std::make_shared<worker::Session>(std::move(facts), std::move(handlers));
  }

  static Handlers quiet_handlers() {
    Handlers handlers;
    handlers.ready = handlers.health = handlers.shutdown = handlers.changed = [] {};
    handlers.connect = [](const PlayerId&, const std::function<void(bool)>&) {};
    handlers.disconnect = [](const PlayerId&) {};
    handlers.newcomers = [](NewcomersWord) {};
    handlers.wants = [](const Wants&) {};
    handlers.now = [] { return worker::WallTime{std::chrono::seconds{1'700'000'100}}; };
    handlers.end_reservation_after = [](auto) {};
    return handlers;
  }

  Handlers handlers() {
    Handlers made = quiet_handlers();
    made.ready = [this] { ++ready_; };
    made.shutdown = [this] { ++shutdown_; };
    made.connect = [this](const PlayerId& player, std::function<void(bool)> answer) {
      FIXKEEP_ASSERT(!player.empty(), "a player without a name is at the door");
      at_the_door_.push_back(std::move(answer));
    };
    made.end_reservation_after = [this](auto after) {
      timer_runs_ = after.has_value();
      FIXKEEP_ASSERT(!after || (after->count() > 0 && *after <= worker::Session::reservation_most),
                     "a timer of " + std::to_string(after->count()) + " s");
    };
    return made;
  }

  int ready_ = 0;
  int shutdown_ = 0;
  bool timer_runs_ = false;
  mutable std::uint64_t version_ = 0;
  std::deque<std::function<void(bool)>> at_the_door_;
  std::shared_ptr<worker::Session> session_;
};

}  // namespace fixkeep::fuzz
