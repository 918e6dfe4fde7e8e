// Two masters of a pool with whole links, in simulated time.
//
// Thread rule: one owner. Bounds: those of a test. Errors: none.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/wire/codec.hpp"
#include "master/core/master_core.hpp"
#include "master/rules/plan/brings.hpp"

namespace fixkeep::master {

inline std::shared_ptr<const plan::Rules> duel_by_rating() {
  auto rules = std::make_shared<plan::Rules>();
  rules->numbers = {"rating"};
  rules->distances = {{0, {{Duration{0}, 50}, {std::chrono::seconds{10}, 200}}, {}}};
  return rules;
}

// Masters 1 and 2 with whole links, and a worker that has no rooms and promises whatever it is
// asked to. Messages pass through the codec, and arrive in the same instant.
class TwoMasters {
 public:
  TwoMasters() {
    for (const MasterId self : {MasterId{1}, MasterId{2}}) {
      cores_.emplace(self, MasterCore{options(self), now});
    }
    // Both ends of the link are there before anything is said over it.
    events_.emplace_back(MasterId{1}, PeerConnected{MasterId{2}});
    events_.emplace_back(MasterId{2}, PeerConnected{MasterId{1}});
    for (const auto& [self, core] : cores_) {
      wire::WorkerState state;
      state.zone = ZoneName{"a"};
      state.address = "10.0.0.1";
      state.room_limit = state.headroom = 10;
      state.modes.known = {ModeName{"duel"}};
      step(self, WorkerConnected{worker, Incarnation{1}});
      step(self, WorkerSaid{worker, state});
    }
    pass(std::chrono::seconds{5});
  }

  TicketId ask(MasterId master, const std::string& player, std::int64_t rating,
               Duration wait = std::chrono::seconds{60}, std::optional<TimePoint> since = {}) {
    const TicketId ticket = post(master, player, rating, wait, since);
    run();
    return ticket;
  }
  // It is heard with whatever comes next.
  TicketId post(MasterId master, const std::string& player, std::int64_t rating,
                Duration wait = std::chrono::seconds{60}, std::optional<TimePoint> since = {}) {
    const TicketId ticket{++tickets_};
    MatchRequested match{.ticket = ticket,
                         .group = GroupKey{"duel"},
                         .mode = ModeName{"duel"},
                         .capacity = 2,
                         .claim = {},
                         .deadline = now + wait};
    match.claim.player = PlayerId{player};
    plan::Brings brings;
    brings.numbers[0] = rating;
    match.claim.brings = plan::to_text(brings, *rules_);
    match.rules = rules_;
    match.since = since;
    events_.emplace_back(master, std::move(match));
    return ticket;
  }
  void step(MasterId master, Event&& event) {
    events_.emplace_back(master, std::move(event));
    run();
  }
  void run() {
    while (!events_.empty()) {
      auto [at, next] = std::move(events_.front());
      events_.pop_front();
      Actions actions;
      cores_.at(at).step(std::move(next), now, actions);
      for (Action& action : actions) perform(at, std::move(action));
    }
  }
  void pass(Duration time) {
    const TimePoint end = now + time;
    while (now < end) {
      now += std::chrono::milliseconds{50};
      for (const auto& [self, core] : cores_) step(self, TimePassed{});
    }
  }
  [[nodiscard]] std::shared_ptr<const wire::Explained> told(MasterId master, TicketId ticket) {
    const auto why = cores_.at(master).why(ticket);
    return why ? why->explained : nullptr;
  }

  TimePoint now{std::chrono::seconds{1'000}};
  std::vector<Refused> refused;
  std::vector<TimePoint> ordered;  // when rooms were ordered

 private:
  static MasterOptions options(MasterId self) {
    MasterOptions options;
    options.self = self;
    options.incarnation = Incarnation{self.number()};
    options.locks.self = self;
    options.locks.peers = {MasterId{static_cast<std::uint16_t>(3 - self.number())}};
    return options;
  }
  static wire::BetweenMasters through_codec(wire::BetweenMasters&& message) {
    std::string frame;
    wire::append_frame(wire::Message{std::move(message)}, frame);
    const auto payload = std::string_view{frame}.substr(wire::prefix_bytes);
    return wire::decode<wire::BetweenMasters>(payload).value();
  }
  void perform(MasterId from, Action&& action) {
    if (auto* sent = std::get_if<SendToPeer>(&action)) {
      events_.emplace_back(sent->peer, PeerSaid{from, through_codec(std::move(sent->message))});
    } else if (auto* order = std::get_if<SendToWorker>(&action)) {
      const auto* spawn = std::get_if<wire::SpawnRoom>(&order->message);
      if (spawn != nullptr) ordered.push_back(now);
      const auto* prepare = std::get_if<wire::PrepareSpawn>(&order->message);
      if (prepare == nullptr) return;
      const wire::PrepareReply reply{prepare->request, prepare->group, true, prepare->token, {}};
      events_.emplace_back(from, WorkerSaid{worker, reply});
    } else if (auto* told = std::get_if<Refused>(&action)) {
      refused.push_back(*told);
    }
  }

  const WorkerId worker{"w"};
  std::map<MasterId, MasterCore> cores_;
  std::deque<std::pair<MasterId, Event>> events_;
  std::shared_ptr<const plan::Rules> rules_ = duel_by_rating();
  std::uint64_t tickets_ = 0;
};

inline constexpr MasterId m1{1};
inline constexpr MasterId m2{2};

}  // namespace fixkeep::master
