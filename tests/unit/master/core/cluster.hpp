// Masters' matchmakers and real RoomHosts in one process, for tests: messages in one ordered
// queue, a lock that serves in order, a clock that moves when told.
// Thread rule: one owner.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "master/core/directory/directory.hpp"
#include "master/core/matchmaker.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::master {

class Cluster {
 public:
  Cluster(int masters, int workers, std::uint32_t capacity, std::uint32_t room_limit = 100,
          const std::function<void(MatchmakerOptions&)>& tune = {});

  static WorkerId id(int worker) { return WorkerId{"w" + std::to_string(worker)}; }
  Matchmaker& master(int i) { return *masters_.at(static_cast<std::size_t>(i)); }
  worker::RoomHost& host(int i) { return *hosts_.at(id(i)); }

  void start_worker(int i);
  void stop_worker(int i) {
    hosts_.erase(id(i));
    for (std::size_t m = 0; m < masters_.size(); ++m) down(id(i), m);
  }

  void match(int m, std::uint64_t ticket, const std::string& player,
             Duration wait = std::chrono::seconds{30}, std::vector<PlayerId> party = {}) {
    MatchRequested request{TicketId{ticket},
                           GroupChoice{key},
                           ModeName{"duel"},
                           capacity_,
                           {PlayerId{player}, std::move(party)},
                           now + wait};
    request.one_seat_per = one_seat_per;
    at_master(static_cast<std::size_t>(m),
              [&](auto out) { master(m).match_requested(std::move(request), now, out); });
  }
  void cancel(int m, std::uint64_t ticket) {
    cancelled.insert(ticket);
    at_master(static_cast<std::size_t>(m),
              [&](auto out) { master(m).cancelled(TicketId{ticket}, now, out); });
  }

  // The master is told that it holds the lock no more.
  void lose_lock(int m) {
    locks_[GroupKey{"g"}].held = false;
    at_master(static_cast<std::size_t>(m), [&](auto out) {
      master(m).locks_lost({{GroupKey{"g"}, lock::LostReason::lease_timeout}}, now, out);
    });
  }

  bool step() {
    if (queue_.empty()) return false;
    auto next = std::move(queue_.front());
    queue_.pop_front();
    next();
    return true;
  }
  void run() {
    for (int i = 0; step(); ++i) ASSERT_LT(i, 1'000'000) << "never quiet";
  }
  void pass(Duration time) {
    now += time;
    for (std::size_t m = 0; m < masters_.size(); ++m) {
      at_master(m, [&](auto out) { masters_[m]->time_passed(now, out); });
    }
    for (auto& [name, host] : hosts_) to_worker(name, worker::TimePassed{});
    run();
  }
  void boot() {  // everything that is starting becomes ready
    for (const auto& [name, room] : std::exchange(starting, {}))
      to_worker(name, worker::ProcessReady{room});
    run();
  }
  void fail_boots() {
    for (const auto& [name, room] : std::exchange(starting, {})) {
      to_worker(name, worker::ProcessExited{room, "exit code 3"});
    }
    run();
  }
  // Runs, boots and lets time pass until nobody waits.
  void finish();
  void say(int m, int w, wire::Message message) {
    at_master(static_cast<std::size_t>(m),
              [&](auto out) { master(m).worker_said(id(w), std::move(message), now, out); });
  }
  [[nodiscard]] std::size_t rooms_made() const { return rooms_made_; }

  TimePoint now{std::chrono::seconds{1000}};
  std::multimap<std::uint64_t, Seated> seated;
  std::multimap<std::uint64_t, Refused> refused;
  std::set<std::uint64_t> cancelled;
  std::vector<std::pair<WorkerId, RoomNumber>> starting;
  std::vector<wire::Message> to_workers;  // all that masters sent
  SeatScope one_seat_per = SeatScope::mode;
  std::vector<WorkerId> closed;
  int zones = 2;      // of the workers that start from now on: 1 or 2
  GroupKey key{"g"};  // of the requests from now on
  bool needs_fence = false;
  bool deaf = false;  // workers hear nothing
  bool uncertain = false;

 private:
  struct Lock {
    bool held = false;
    std::size_t holder = 0;
    std::deque<std::size_t> waiting;
    FencingToken highest;
    FencingToken fence;
    std::vector<wire::RoomHint> hints;
  };

  template <class Call>
  void at_master(std::size_t m, Call&& call) {
    Actions actions;
    LockOrders orders;
    call(Matchmaker::Output{actions, orders});
    for (Action& action : actions) perform(m, action);
    for (LockOrder& order : orders) {
      queue_.push_back([this, m, order = std::move(order)] { lock(m, order); });
    }
  }

  void perform(std::size_t m, Action& action);
  void down(const WorkerId& name, std::size_t m) {
    at_master(m, [&](auto out) { masters_[m]->worker_disconnected(name, now, out); });
  }

  void to_worker(const WorkerId& name, worker::Event event);
  void perform(const WorkerId& name, worker::RoomHost* from, worker::Action& action);
  void lock(std::size_t m, const LockOrder& order);
  void grant(const GroupKey& group);

  std::uint32_t capacity_;
  std::uint32_t limit_;
  std::uint64_t incarnations_ = 0;
  std::size_t rooms_made_ = 0;
  std::vector<std::unique_ptr<Matchmaker>> masters_;
  std::map<WorkerId, std::unique_ptr<worker::RoomHost>> hosts_;
  std::map<GroupKey, Lock> locks_;
  std::deque<std::function<void()>> queue_;
};

}  // namespace fixkeep::master
