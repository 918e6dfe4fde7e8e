#include "tests/unit/master/core/cluster.hpp"

#include <algorithm>

namespace fixkeep::master {

Cluster::Cluster(int masters, int workers, std::uint32_t capacity, std::uint32_t room_limit,
                 const std::function<void(MatchmakerOptions&)>& tune)
    : capacity_(capacity), limit_(room_limit) {
  for (int i = 0; i < masters; ++i) {
    MatchmakerOptions options;
    options.self = MasterId{static_cast<std::uint16_t>(i + 1)};
    options.incarnation = Incarnation{100U + static_cast<unsigned>(i)};
    options.await_workers = Duration{0};  // all workers are there from the start
    if (tune) tune(options);
    masters_.push_back(std::make_unique<Matchmaker>(options, now));
    masters_.back()->set_joined(true);
  }
  for (int i = 0; i < workers; ++i) start_worker(i);
  run();
}

void Cluster::start_worker(int i) {
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

void Cluster::finish() {
  for (int i = 0; i < 100; ++i) {
    run();
    boot();
    std::size_t waiting = 0;
    for (const auto& each : masters_) waiting += each->waiting();
    if (waiting == 0) return;
    pass(std::chrono::milliseconds{500});
  }
}

void Cluster::perform(std::size_t m, Action& action) {
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

void Cluster::to_worker(const WorkerId& name, worker::Event event) {
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

void Cluster::perform(const WorkerId& name, worker::RoomHost* from, worker::Action& action) {
  if (auto* send = std::get_if<worker::SendToMaster>(&action)) {
    queue_.push_back([this, name, from, m = send->master.number() - 1U,
                      message = std::move(send->message)]() mutable {
      const auto at = hosts_.find(name);
      if (at == hosts_.end() || at->second.get() != from) return;  // the link is gone
      if (m >= masters_.size()) return;  // a master that a test played itself
      at_master(m, [&](auto out) { masters_[m]->worker_said(name, std::move(message), now, out); });
    });
  } else if (auto* start = std::get_if<worker::StartProcess>(&action)) {
    ++rooms_made_;
    starting.emplace_back(name, start->room);
  } else if (auto* signal = std::get_if<worker::SignalProcess>(&action)) {
    to_worker(name, worker::ProcessExited{signal->room, "signal 15"});
  }
}

void Cluster::lock(std::size_t m, const LockOrder& order) {
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

void Cluster::grant(const GroupKey& group) {
  Lock& mine = locks_[group];
  if (mine.held || mine.waiting.empty()) return;
  mine.held = true;
  mine.holder = mine.waiting.front();
  mine.waiting.pop_front();
  mine.highest = {mine.highest.counter + 1, MasterId{static_cast<std::uint16_t>(mine.holder + 1)}};
  queue_.push_back([this, group, m = mine.holder, token = mine.highest] {
    LockGranted granted{group,       token,     locks_[group].fence,
                        needs_fence, uncertain, locks_[group].hints};
    at_master(m, [&](auto out) { masters_[m]->lock_granted(std::move(granted), now, out); });
  });
}

}  // namespace fixkeep::master
