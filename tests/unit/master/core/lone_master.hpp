// One Matchmaker whose workers, lock and clock are played by the test, message by message.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "master/core/directory/directory.hpp"
#include "master/core/matchmaker.hpp"

namespace fixkeep::master {

// An empty room of group g.
inline wire::RoomInfo open_room(std::uint32_t number, std::uint32_t capacity) {
  wire::RoomInfo room;
  room.number = RoomNumber{number};
  room.group = GroupKey{"g"};
  room.mode = ModeName{"duel"};
  room.phase = wire::RoomPhase::open;
  room.port = 20'000;
  room.capacity = capacity;
  return room;
}

class LoneMaster {
 public:
  struct Sent {
    WorkerId worker;
    wire::Message message;
  };

  explicit LoneMaster(const std::function<void(MatchmakerOptions&)>& tune = {})
      : matchmaker_(options(tune), now) {
    matchmaker_.set_joined(true);
  }

  // A worker comes, in a run of its own number, and says what it has.
  void connect(const std::string& worker, std::uint64_t run, std::uint32_t headroom = 10,
               std::vector<wire::RoomInfo> rooms = {}) {
    appear(worker, run);
    wire::WorkerState state;
    state.zone = ZoneName{"a"};
    state.address = "10.0.0.1";
    state.room_limit = 10;
    state.headroom = headroom;
    for (const wire::RoomInfo& room : rooms) {
      state.newest_room = std::max(state.newest_room, room.number);
    }
    state.modes.known = {ModeName{"duel"}};
    state.rooms = std::move(rooms);
    say(worker, state);
  }
  // A worker comes, and says nothing.
  void appear(const std::string& worker, std::uint64_t run) {
    matchmaker_.worker_connected(WorkerId{worker}, Incarnation{run}, now, output());
  }
  void say(const std::string& worker, wire::Message message) {
    matchmaker_.worker_said(WorkerId{worker}, std::move(message), now, output());
  }
  void disconnect(const std::string& worker) {
    matchmaker_.worker_disconnected(WorkerId{worker}, now, output());
  }
  // News of a room; 10 rooms of headroom.
  void room(const std::string& worker, std::uint32_t number, wire::RoomPhase phase,
            wire::CloseReason reason = wire::CloseReason::none) {
    wire::RoomsChanged news;
    news.headroom = 10;
    news.changed.push_back({RoomNumber{number}, phase, reason, 0, {}, {}});
    say(worker, news);
  }
  void headroom(const std::string& worker, std::uint32_t rooms) {
    wire::RoomsChanged news;
    news.headroom = rooms;
    say(worker, news);
  }
  void match(std::uint64_t ticket, const std::string& group = "g",
             Duration wait = std::chrono::seconds{30}, const std::string& client = "") {
    matchmaker_.match_requested({TicketId{ticket},
                                 GroupChoice{GroupKey{group}},
                                 ModeName{"duel"},
                                 capacity,
                                 {PlayerId{"p" + std::to_string(ticket)}, {}},
                                 now + wait,
                                 ClientAddress{client}},
                                now, output());
  }
  void match(MatchRequested request) {
    matchmaker_.match_requested(std::move(request), now, output());
  }
  void cancel(std::uint64_t ticket) { matchmaker_.cancelled(TicketId{ticket}, now, output()); }
  // The lock, which must have been asked for, with the next token.
  void grant(std::vector<wire::RoomHint> hints = {}, const std::string& group = "g",
             bool needs_fence = false) {
    ++token_;
    matchmaker_.lock_granted(
        {GroupKey{group}, {token_, MasterId{1}}, {}, needs_fence, false, std::move(hints), {}}, now,
        output());
  }
  void lose_lock() {
    matchmaker_.locks_lost({{GroupKey{"g"}, lock::LostReason::wait_timeout}}, now, output());
  }
  void pass(Duration time) {
    now += time;
    matchmaker_.time_passed(now, output());
  }
  // Answers an order with a room that starts, for all its claims.
  void accept(const Sent& sent, std::uint32_t room, std::uint32_t headroom = 9);
  void refuse(const Sent& sent, wire::SpawnOutcome outcome, std::uint32_t headroom = 0);
  void promise(const Sent& sent, std::vector<wire::RoomInfo> rooms = {});

  // The messages of one kind that were sent to workers since they were taken the last time.
  template <class Message>
  std::vector<Sent> take() {
    std::vector<Sent> found;
    std::erase_if(actions_, [&](Action& action) {
      auto* send = std::get_if<SendToWorker>(&action);
      if (send == nullptr || !std::holds_alternative<Message>(send->message)) return false;
      found.push_back({send->worker, std::move(send->message)});
      return true;
    });
    return found;
  }
  std::vector<Sent> orders() { return take<wire::SpawnRoom>(); }
  // The lock as it was given back the last time.
  [[nodiscard]] std::optional<ReleaseLock> given_back() const {
    std::optional<ReleaseLock> found;
    for (const LockOrder& order : locks_) {
      if (const auto* release = std::get_if<ReleaseLock>(&order)) found = *release;
    }
    return found;
  }
  // How many orders of one kind the lock has had since this was asked the last time.
  template <class Order>
  std::size_t asked_of_lock() {
    std::size_t found = 0;
    std::erase_if(locks_, [&](const LockOrder& order) {
      const bool is = std::holds_alternative<Order>(order);
      if (is) ++found;
      return is;
    });
    return found;
  }
  [[nodiscard]] std::map<std::uint64_t, Refusal> refusals() const {
    std::map<std::uint64_t, Refusal> found;
    for (const Action& action : actions_) {
      if (const auto* refused = std::get_if<Refused>(&action)) {
        found.emplace(refused->ticket.number(), refused->reason);
      }
    }
    return found;
  }
  // Zero if the ticket was not refused.
  [[nodiscard]] Duration retry_after(std::uint64_t ticket) const {
    for (const Action& action : actions_) {
      const auto* refused = std::get_if<Refused>(&action);
      if (refused != nullptr && refused->ticket.number() == ticket) return refused->retry_after;
    }
    return {};
  }
  // The workers that were left out since this was asked the last time, and what for.
  std::vector<std::pair<std::string, Misdeed>> quarantined() {
    std::vector<std::pair<std::string, Misdeed>> found;
    std::erase_if(actions_, [&](const Action& action) {
      const auto* is = std::get_if<WorkerQuarantined>(&action);
      if (is != nullptr) found.emplace_back(is->stay.worker.text(), is->stay.misdeed);
      return is != nullptr;
    });
    return found;
  }
  [[nodiscard]] Matchmaker& matchmaker() { return matchmaker_; }

  std::uint32_t capacity = 1;
  TimePoint now{std::chrono::seconds{1000}};

 private:
  static MatchmakerOptions options(const std::function<void(MatchmakerOptions&)>& tune) {
    MatchmakerOptions options;
    options.self = MasterId{1};
    options.incarnation = Incarnation{100};
    options.await_workers = Duration{0};
    if (tune) tune(options);
    return options;
  }
  Matchmaker::Output output() { return {actions_, locks_}; }

  Actions actions_;
  LockOrders locks_;
  std::uint64_t token_ = 0;
  Matchmaker matchmaker_;
};

}  // namespace fixkeep::master
