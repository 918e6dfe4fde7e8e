// Masters' matchmakers and real RoomHosts in one process, for tests: messages in one ordered
// queue, a lock that serves in order, a clock that moves when told.
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
          const std::function<void(MatchmakerOptions&)>& tune = {})
      : capacity_(capacity), limit_(room_limit) {
    for (int i = 0; i < masters; ++i) {
      MatchmakerOptions options;
      options.self = MasterId{static_cast<std::uint16_t>(i + 1)};
      options.incarnation = Incarnation{100U + static_cast<unsigned>(i)};
      options.worker_settle = Duration{0};  // all workers are there from the start
      if (tune) tune(options);
      masters_.push_back(std::make_unique<Matchmaker>(options, now));
      masters_.back()->set_joined(true);
    }
    for (int i = 0; i < workers; ++i) start_worker(i);
    run();
  }

  static WorkerId id(int worker) { return WorkerId{"w" + std::to_string(worker)}; }
  Matchmaker& master(int i) { return *masters_.at(static_cast<std::size_t>(i)); }
  worker::RoomHost& host(int i) { return *hosts_.at(id(i)); }

  void start_worker(int i) {
    worker::RoomHostOptions options;
    options.self = id(i);
    options.incarnation = Incarnation{++incarnations_};
    options.zone = ZoneName{i % zones == 0 ? "a" : "c"};
    options.address = "10.0.0." + std::to_string(i);
    options.room_limit = limit_;
    options.modes.push_back({ModeName{"duel"}});
    hosts_[id(i)] = std::make_unique<worker::RoomHost>(options, now);
    for (std::size_t m = 0; m < masters_.size(); ++m) {
      at_master(m, [this, i, m, run = options.incarnation](auto out) {
        masters_[m]->worker_connected(id(i), run, now, out);
      });
      to_worker(id(i), worker::MasterConnected{MasterId{static_cast<std::uint16_t>(m + 1)}});
    }
  }
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
  void finish() {
    for (int i = 0; i < 100; ++i) {
      run();
      boot();
      std::size_t waiting = 0;
      for (const auto& each : masters_) waiting += each->waiting();
      if (waiting == 0) return;
      pass(std::chrono::milliseconds{500});
    }
  }
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

  void perform(std::size_t m, Action& action) {
    if (auto* send = std::get_if<SendToWorker>(&action)) {
      to_workers.push_back(send->message);
      if (deaf) return;
      const MasterId self{static_cast<std::uint16_t>(m + 1)};
      to_worker(send->worker, worker::MasterSaid{self, std::move(send->message)});
    } else if (auto* close = std::get_if<CloseWorkerLink>(&action)) {
      closed.push_back(close->worker);
    } else if (auto* seat = std::get_if<Seated>(&action)) {
      seated.emplace(seat->ticket.number(), *seat);
    } else if (auto* refusal = std::get_if<Refused>(&action)) {
      refused.emplace(refusal->ticket.number(), *refusal);
    }
  }

  void down(const WorkerId& name, std::size_t m) {
    at_master(m, [&](auto out) { masters_[m]->worker_disconnected(name, now, out); });
  }

  void to_worker(const WorkerId& name, worker::Event event) {
    queue_.push_back([this, name, target = hosts_.contains(name) ? hosts_.at(name).get() : nullptr,
                      event = std::move(event)]() mutable {
      const auto at = hosts_.find(name);
      if (at == hosts_.end() || at->second.get() != target) return;
      worker::Actions out;
      at->second->step(std::move(event), now, out);
      at->second->step(worker::BatchEnded{}, now, out);
      for (worker::Action& action : out) perform(name, target, action);
    });
  }

  void perform(const WorkerId& name, worker::RoomHost* from, worker::Action& action) {
    if (auto* send = std::get_if<worker::SendToMaster>(&action)) {
      queue_.push_back([this, name, from, m = send->master.number() - 1U,
                        message = std::move(send->message)]() mutable {
        const auto at = hosts_.find(name);
        if (at == hosts_.end() || at->second.get() != from) return;  // the link is gone
        if (m >= masters_.size()) return;  // a master that a test played itself
        at_master(m,
                  [&](auto out) { masters_[m]->worker_said(name, std::move(message), now, out); });
      });
    } else if (auto* start = std::get_if<worker::StartProcess>(&action)) {
      ++rooms_made_;
      starting.emplace_back(name, start->room);
    } else if (auto* signal = std::get_if<worker::SignalProcess>(&action)) {
      to_worker(name, worker::ProcessExited{signal->room, "signal 15"});
    }
  }

  void lock(std::size_t m, const LockOrder& order) {
    if (const auto* acquire = std::get_if<AcquireLock>(&order)) {
      locks_[acquire->group].waiting.push_back(m);
      grant(acquire->group);
    } else if (const auto* abandon = std::get_if<AbandonLock>(&order)) {
      Lock& mine = locks_[abandon->group];
      std::erase(mine.waiting, m);
      // Granted already and on its way: the matchmaker gives it back by itself.
    } else if (const auto* release = std::get_if<ReleaseLock>(&order)) {
      Lock& mine = locks_[release->group];
      ASSERT_TRUE(mine.held && mine.holder == m);
      mine.held = false;
      mine.highest = std::max(mine.highest, release->highest);
      mine.fence = release->fence;
      mine.hints = release->hints;
      uncertain = release->uncertain;
      grant(release->group);
    }
  }
  void grant(const GroupKey& group) {
    Lock& mine = locks_[group];
    if (mine.held || mine.waiting.empty()) return;
    mine.held = true;
    mine.holder = mine.waiting.front();
    mine.waiting.pop_front();
    mine.highest = {mine.highest.counter + 1,
                    MasterId{static_cast<std::uint16_t>(mine.holder + 1)}};
    queue_.push_back([this, group, m = mine.holder, token = mine.highest] {
      LockGranted granted{group,       token,     locks_[group].fence,
                          needs_fence, uncertain, locks_[group].hints};
      at_master(m, [&](auto out) { masters_[m]->lock_granted(std::move(granted), now, out); });
    });
  }

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
