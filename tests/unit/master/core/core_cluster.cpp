#include "tests/unit/master/core/core_cluster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "common/wire/codec.hpp"

namespace fixkeep::master {
namespace {

constexpr int most_steps = 100'000;

MasterId master_id(int m) {
  return MasterId{static_cast<std::uint16_t>(m)};
}
WorkerId worker_id(int w) {
  return WorkerId{"w" + std::to_string(w)};
}
int number_of(const WorkerId& worker) {
  return std::stoi(worker.text().substr(1));
}

std::unique_ptr<worker::RoomHost> make_host(int w, std::uint32_t room_limit, TimePoint now) {
  worker::RoomHostOptions options;
  options.self = worker_id(w);
  options.incarnation = Incarnation{static_cast<std::uint64_t>(w)};
  options.zone = ZoneName{"a"};
  options.address = "10.0.0." + std::to_string(w);
  options.room_limit = room_limit;
  options.modes.push_back({ModeName{"duel"}});
  return std::make_unique<worker::RoomHost>(options, now);
}

wire::Message carried(const wire::Message& message) {
  std::string frame;
  wire::append_frame(message, frame);
  auto read = wire::decode(std::string_view{frame}.substr(wire::prefix_bytes));
  EXPECT_TRUE(read) << read.error().message();
  if (!read) return message;
  return std::move(*read);
}

}  // namespace

CoreCluster::CoreCluster(int masters, const std::vector<std::uint32_t>& workers,
                         std::string strategy, std::vector<WarmMode> warm)
    : size_(masters), strategy_(std::move(strategy)), warm_(std::move(warm)) {
  for (const std::uint32_t limit : workers) {
    const int w = static_cast<int>(hosts_.size()) + 1;
    hosts_.emplace(w, make_host(w, limit, now));
  }
  for (int m = 1; m <= masters; ++m) {
    start_master(m);
    connect_workers(m);
  }
  pass(std::chrono::seconds{6});
}

void CoreCluster::start_master(int m) {
  MasterOptions options;
  options.self = options.locks.self = master_id(m);
  options.incarnation = Incarnation{++incarnations_};
  options.locks.strategy = strategy_;
  options.warm = warm_;
  for (int peer = 1; peer <= size_; ++peer) {
    if (peer != m) options.locks.peers.push_back(master_id(peer));
  }
  masters_[m] = std::make_unique<MasterCore>(options, now);
  for (int peer = 1; peer <= size_; ++peer) {
    if (peer == m || !masters_.contains(peer)) continue;
    to_master(m, PeerConnected{master_id(peer)});
    to_master(peer, PeerConnected{master_id(m)});
  }
}

void CoreCluster::connect_workers(int m) {
  for (auto& [w, host] : hosts_) {
    to_master(m, WorkerConnected{worker_id(w), Incarnation{static_cast<std::uint64_t>(w)}});
    to_host(w, worker::MasterConnected{master_id(m)});
  }
}

void CoreCluster::crash_master(int m) {
  masters_.erase(m);
  for (auto& [peer, core] : masters_) to_master(peer, PeerDisconnected{master_id(m)});
  for (auto& [w, host] : hosts_) to_host(w, worker::MasterDisconnected{master_id(m)});
  run();
}

void CoreCluster::match(int m, const std::string& player, const std::string& group) {
  MatchRequested request;
  request.ticket = TicketId{++tickets_};
  request.groups = GroupChoice{GroupKey{group}};
  request.mode = ModeName{"duel"};
  request.capacity = 4;
  request.claim.player = PlayerId{player};
  request.deadline = now + std::chrono::seconds{30};
  to_master(m, std::move(request));
  run();
}

void CoreCluster::run() {
  for (int step = 0; !queue_.empty(); ++step) {
    ASSERT_LT(step, most_steps) << "never quiet";
    const auto next = std::move(queue_.front());
    queue_.pop_front();
    next();
  }
}

void CoreCluster::pass(Duration time) {
  const TimePoint end = now + time;
  run();
  for (int ticks = 0; now < end; ++ticks) {
    ASSERT_LT(ticks, most_steps) << "a timer that never ends";
    TimePoint next = end;
    for (auto& [m, core] : masters_) next = std::min(next, core->next_tick());
    for (auto& [w, host] : hosts_) next = std::min(next, host->next_tick());
    now = std::max(now, next);
    for (auto& [m, core] : masters_) {
      if (core->next_tick() <= now) to_master(m, TimePassed{});
    }
    for (auto& [w, host] : hosts_) {
      if (host->next_tick() <= now) to_host(w, worker::TimePassed{});
    }
    run();
  }
}

std::size_t CoreCluster::rooms_of(const GroupKey& group) const {
  std::size_t found = 0;
  for (const auto& [w, host] : hosts_) {
    for (const wire::RoomInfo& room : host->rooms()) found += room.group == group ? 1U : 0U;
  }
  return found;
}

MasterCounters CoreCluster::counters() const {
  MasterCounters sum;
  for (const auto& [m, core] : masters_) {
    sum.fences += core->counters().fences;
    sum.fence_restarts += core->counters().fence_restarts;
    sum.spawns_refused += core->counters().spawns_refused;
  }
  return sum;
}

void CoreCluster::to_master(int m, Event event) {
  queue_.push_back([this, m, target = masters_.at(m).get(), event = std::move(event)]() mutable {
    const auto found = masters_.find(m);
    if (found == masters_.end() || found->second.get() != target) return;
    Actions out;
    target->step(std::move(event), now, out);
    for (Action& action : out) perform(m, action);
  });
}

void CoreCluster::to_host(int w, worker::Event event) {
  queue_.push_back([this, w, event = std::move(event)]() mutable {
    worker::Actions out;
    worker::RoomHost& target = *hosts_.at(w);
    target.step(std::move(event), now, out);
    target.step(worker::BatchEnded{}, now, out);
    for (worker::Action& action : out) perform(w, action);
  });
}

void CoreCluster::perform(int m, Action& action) {
  if (auto* worker_bound = std::get_if<SendToWorker>(&action)) {
    const int w = number_of(worker_bound->worker);
    to_host(w, worker::MasterSaid{master_id(m), carried(worker_bound->message)});
  } else if (auto* peer_bound = std::get_if<SendToPeer>(&action)) {
    const int peer = peer_bound->peer.number();
    if (masters_.contains(peer)) {
      to_master(peer, PeerSaid{master_id(m), carried(peer_bound->message)});
    }
  } else if (const auto* seat = std::get_if<Seated>(&action)) {
    ++seated;
    if (!arrive.contains(seat->group)) return;
    for (const PlayerId& player : seat->players) {
      const int w = std::stoi(seat->room.worker.text().substr(1));
      to_host(w, worker::PlayerArrived{seat->room.number, player});
    }
  } else if (std::holds_alternative<Refused>(action)) {
    ++refused;
  } else {
    ADD_FAILURE() << "a link was closed";
  }
}

void CoreCluster::perform(int w, worker::Action& action) {
  if (auto* send = std::get_if<worker::SendToMaster>(&action)) {
    const int m = send->master.number();
    if (masters_.contains(m)) to_master(m, WorkerSaid{worker_id(w), carried(send->message)});
  } else if (const auto* start = std::get_if<worker::StartProcess>(&action)) {
    created.push_back(start->creation);
    to_host(w, worker::ProcessReady{start->room});
  } else if (const auto* signal = std::get_if<worker::SignalProcess>(&action)) {
    to_host(w, worker::ProcessExited{signal->room, "signal 15"});
  }
}

}  // namespace fixkeep::master
