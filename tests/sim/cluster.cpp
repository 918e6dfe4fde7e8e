#include "tests/sim/cluster.hpp"

#include <utility>

#include "common/base/assert.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

const ModeName mode{"duel"};

// A core whose timer is due at once, again and again, would hang a real node.
constexpr int ticks_at_once = 1'000;

}  // namespace

Cluster::Cluster(const Options& options, Scheduler& scheduler, Random& random, Trace& trace,
                 ClusterWatcher& watcher)
    : options_(options),
      scheduler_(scheduler),
      random_(random),
      trace_(trace),
      watcher_(watcher),
      network_(scheduler, Random{random.next()}, options.network,
               NetworkHandlers{[this](NodeIndex self, NodeIndex peer) { link_up(self, peer); },
                               [this](NodeIndex self, NodeIndex peer) { link_down(self, peer); },
                               [this](NodeIndex self, NodeIndex peer, wire::Message&& message) {
                                 deliver(self, peer, std::move(message));
                               }}) {
  for (std::uint16_t number = 1; number <= options.masters; ++number) {
    auto made = std::make_unique<MasterNode>();
    made->id = MasterId{number};
    made->clock = draw_clock();
    made->node = network_.add_node(made->inbox);
    for (NodeIndex other = 0; other < made->node; ++other) network_.link(made->node, other);
    masters_.push_back(std::move(made));
  }
  for (std::uint32_t number = 1; number <= options.workers; ++number) {
    auto made = std::make_unique<WorkerNode>();
    made->id = WorkerId{"w" + std::to_string(number)};
    made->clock = draw_clock();
    made->node = network_.add_node(made->inbox);
    for (const auto& master : masters_) network_.link(made->node, master->node);
    by_name_[made->id] = made.get();
    workers_.push_back(std::move(made));
  }
}

NodeClock Cluster::draw_clock() {
  return NodeClock{Duration{random_.between(1, 1'000'000'000'000)}, random_.between(-200, 200)};
}

void Cluster::start() {
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    scheduler_.after(Duration{random_.between(0, 50'000)}, [this, i] { start_master(i); });
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    scheduler_.after(Duration{random_.between(0, 50'000)}, [this, i] { start_worker(i); });
  }
}

WorkerNode* Cluster::find_worker(const RoomId& room) {
  const auto found = by_name_.find(room.worker);
  if (found == by_name_.end() || !found->second->core) return nullptr;
  return found->second->incarnation == room.incarnation ? found->second : nullptr;
}

// --- faults
// ---------------------------------------------------------------------------------------

void Cluster::start_master(std::size_t index) {
  MasterNode& master = *masters_[index];
  if (master.inbox.running()) return;
  trace_.line(scheduler_.now(), to_string(master.id), "STARTED");
  master.incarnation = Incarnation{++incarnations_};
  master::MasterOptions made;
  made.self = master.id;
  made.zone = ZoneName{std::string(1, static_cast<char>('a' + index % options_.zones))};
  made.incarnation = master.incarnation;
  made.placement = options_.placement;
  made.locks.strategy = options_.strategy;
  made.locks.quorum = options_.quorum;
  made.locks.self = master.id;
  for (const auto& other : masters_) {
    if (other->id != master.id) made.locks.peers.push_back(other->id);
  }
  made.locks.wait = options_.lock_wait;
  made.locks.lease = options_.lock_lease;
  made.worker_settle = Duration{std::chrono::seconds{1}};
  master.core.emplace(std::move(made), master.clock.at(scheduler_.now()));
  master.armed = never;
  master.inbox.start();
  network_.node_started(master.node);
  arm(master);
}

void Cluster::crash_master(std::size_t index) {
  MasterNode& master = *masters_[index];
  if (!master.inbox.running()) return;
  trace_.line(scheduler_.now(), to_string(master.id), "CRASHED");
  master.inbox.crash();
  network_.node_crashed(master.node);
  watcher_.master_crashed(master);
  master.core.reset();
}

void Cluster::pause_master(std::size_t index) {
  MasterNode& master = *masters_[index];
  if (!master.inbox.responsive()) return;
  trace_.line(scheduler_.now(), to_string(master.id), "PAUSED");
  master.inbox.pause(scheduler_.now());
  network_.node_paused(master.node);
}

void Cluster::resume_master(std::size_t index) {
  MasterNode& master = *masters_[index];
  if (!master.inbox.paused()) return;
  trace_.line(scheduler_.now(), to_string(master.id), "WOKE");
  // A loop that wakes may look at its timers before its sockets, or after.
  if (random_.chance(0.5) && master.core->next_tick() <= master.clock.at(scheduler_.now())) {
    step(master, master::TimePassed{});
  }
  master.inbox.resume(scheduler_.now());
}

void Cluster::start_worker(std::size_t index) {
  WorkerNode& worker = *workers_[index];
  if (worker.inbox.running()) return;
  trace_.line(scheduler_.now(), worker.id.text(), "STARTED");
  worker.incarnation = Incarnation{++incarnations_};
  worker::RoomHostOptions made;
  made.self = worker.id;
  made.incarnation = worker.incarnation;
  made.zone = ZoneName{std::string(1, static_cast<char>('a' + index % options_.zones))};
  made.address = "10.0.0." + std::to_string(index + 1);
  made.room_limit = options_.room_limit;
  made.reservation = options_.reservation;
  made.close_empty_after = options_.close_empty_after;
  made.last_port = 29'999;
  made.modes.push_back({mode, Duration{10'000'000}, Duration{2'000'000}, 0});
  worker.core.emplace(std::move(made), worker.clock.at(scheduler_.now()));
  worker.armed = never;
  worker.batch_due = false;
  worker.inbox.start();
  network_.node_started(worker.node);
  arm(worker);
}

void Cluster::crash_worker(std::size_t index) {
  WorkerNode& worker = *workers_[index];
  if (!worker.inbox.running()) return;
  trace_.line(scheduler_.now(), worker.id.text(), "CRASHED");
  worker.inbox.crash();
  network_.node_crashed(worker.node);
  worker.processes.clear();
  worker.core.reset();
  watcher_.worker_crashed(worker);
}

void Cluster::pause_worker(std::size_t index) {
  WorkerNode& worker = *workers_[index];
  if (!worker.inbox.responsive()) return;
  trace_.line(scheduler_.now(), worker.id.text(), "PAUSED");
  worker.inbox.pause(scheduler_.now());
  network_.node_paused(worker.node);
}

void Cluster::resume_worker(std::size_t index) {
  WorkerNode& worker = *workers_[index];
  if (!worker.inbox.paused()) return;
  trace_.line(scheduler_.now(), worker.id.text(), "WOKE");
  worker.inbox.resume(scheduler_.now());
}

void Cluster::crash_game(std::size_t worker, RoomNumber room) {
  end_process(*workers_[worker], room, Duration{0}, "signal 11");
}

void Cluster::end_faults() {
  faults_over_ = true;
  network_.heal();
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    resume_master(i);
    start_master(i);
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    resume_worker(i);
    start_worker(i);
  }
}

// --- links
// ----------------------------------------------------------------------------------------

void Cluster::link_up(NodeIndex self, NodeIndex peer) {
  if (!is_master(self)) {
    step(worker_at(self), worker::MasterConnected{masters_[peer]->id});
  } else if (is_master(peer)) {
    step(*masters_[self], master::PeerConnected{masters_[peer]->id});
  } else {
    const WorkerNode& worker = worker_at(peer);
    step(*masters_[self], master::WorkerConnected{worker.id, worker.incarnation});
  }
}

void Cluster::link_down(NodeIndex self, NodeIndex peer) {
  if (!is_master(self)) {
    step(worker_at(self), worker::MasterDisconnected{masters_[peer]->id});
  } else if (is_master(peer)) {
    step(*masters_[self], master::PeerDisconnected{masters_[peer]->id});
  } else {
    step(*masters_[self], master::WorkerDisconnected{worker_at(peer).id});
  }
}

void Cluster::deliver(NodeIndex self, NodeIndex peer, wire::Message&& message) {
  if (!is_master(self)) {
    step(worker_at(self), worker::MasterSaid{masters_[peer]->id, std::move(message)});
  } else if (is_master(peer)) {
    step(*masters_[self], master::PeerSaid{masters_[peer]->id, std::move(message)});
  } else {
    step(*masters_[self], master::WorkerSaid{worker_at(peer).id, std::move(message)});
  }
}

// --- masters
// --------------------------------------------------------------------------------------

void Cluster::tell(MasterNode& master, master::Event event) {
  master.inbox.deliver(
      [this, &master, event = std::move(event)]() mutable { step(master, std::move(event)); });
}

void Cluster::step(MasterNode& master, master::Event event) {
  if (trace_.on()) trace_.line(scheduler_.now(), to_string(master.id), describe(event));
  master::Actions actions;
  master.core->step(std::move(event), master.clock.at(scheduler_.now()), actions);
  watcher_.master_stepped(master, actions);
  for (master::Action& action : actions) {
    if (trace_.on()) trace_.line(scheduler_.now(), to_string(master.id), "  " + describe(action));
    perform(master, action);
  }
  arm(master);
}

void Cluster::perform(MasterNode& master, master::Action& action) {
  if (const auto* send = std::get_if<master::SendToWorker>(&action)) {
    network_.send(master.node, worker(send->worker).node, send->message);
  } else if (const auto* to_peer = std::get_if<master::SendToPeer>(&action)) {
    network_.send(master.node, this->master(to_peer->peer).node, to_peer->message);
  } else if (const auto* close = std::get_if<master::CloseWorkerLink>(&action)) {
    // Right towards a worker that was asked and stayed silent; without faults nobody does.
    if (!options_.faults.any()) {
      throw Violation::safety(to_string(master.id) + " gives up on " + close->worker.text());
    }
    network_.close(master.node, worker(close->worker).node);
  } else if (const auto* close_peer = std::get_if<master::ClosePeerLink>(&action)) {
    throw Violation::safety(to_string(master.id) + " says that " + to_string(close_peer->peer) +
                            " broke the protocol");
  } else if (const auto* seated = std::get_if<master::Seated>(&action)) {
    watcher_.seated(master, *seated);
  } else if (const auto* refused = std::get_if<master::Refused>(&action)) {
    watcher_.refused(master, *refused);
  }
}

void Cluster::arm(MasterNode& master) {
  const SimTime due = std::max(master.clock.when(master.core->next_tick()), scheduler_.now());
  if (due == never || due >= master.armed) return;
  master.armed = due;
  scheduler_.at(due, [this, &master, due, run = master.incarnation] {
    if (run != master.incarnation || master.armed != due) return;
    master.inbox.deliver([this, &master] {
      master.armed = never;
      const TimePoint local = master.clock.at(scheduler_.now());
      for (int ticks = 0; master.core->next_tick() <= local; ++ticks) {
        if (ticks == ticks_at_once) throw Violation::liveness(to_string(master.id) + " spins");
        step(master, master::TimePassed{});
      }
      arm(master);
    });
  });
}

// --- workers
// --------------------------------------------------------------------------------------

void Cluster::tell(WorkerNode& worker, worker::Event event) {
  worker.inbox.deliver(
      [this, &worker, event = std::move(event)]() mutable { step(worker, std::move(event)); });
}

void Cluster::step(WorkerNode& worker, worker::Event event) {
  if (trace_.on()) trace_.line(scheduler_.now(), worker.id.text(), describe(event));
  const bool batch_end = std::holds_alternative<worker::BatchEnded>(event);
  worker::Actions actions;
  worker.core->step(std::move(event), worker.clock.at(scheduler_.now()), actions);
  watcher_.worker_stepped(worker, actions);
  for (worker::Action& action : actions) {
    if (trace_.on()) trace_.line(scheduler_.now(), worker.id.text(), "  " + describe(action));
    perform(worker, action);
  }
  if (!batch_end) begin_batch(worker);
  arm(worker);
}

// A real loop ends its batch when nothing more has arrived: at once, or a little later.
void Cluster::begin_batch(WorkerNode& worker) {
  if (worker.batch_due) return;
  worker.batch_due = true;
  scheduler_.after(Duration{random_.between(0, 200)}, [this, &worker, run = worker.incarnation] {
    if (run != worker.incarnation) return;
    worker.inbox.deliver([this, &worker] {
      worker.batch_due = false;
      step(worker, worker::BatchEnded{});
    });
  });
}

void Cluster::perform(WorkerNode& worker, worker::Action& action) {
  if (const auto* send = std::get_if<worker::SendToMaster>(&action)) {
    network_.send(worker.node, master(send->master).node, send->message);
  } else if (const auto* close = std::get_if<worker::CloseMasterLink>(&action)) {
    throw Violation::safety(worker.id.text() + " says that " + to_string(close->master) +
                            " broke the protocol");
  } else if (const auto* start = std::get_if<worker::StartProcess>(&action)) {
    start_process(worker, *start);
  } else if (const auto* signal = std::get_if<worker::SignalProcess>(&action)) {
    // Some games do not listen to SIGTERM.
    if (random_.chance(0.9)) {
      end_process(worker, signal->room, Duration{random_.between(1'000, 300'000)}, "exit code 0");
    }
  } else if (const auto* kill = std::get_if<worker::KillProcess>(&action)) {
    end_process(worker, kill->room, Duration{random_.between(500, 10'000)}, "signal 9");
  } else if (const auto* admit = std::get_if<worker::AdmitPlayer>(&action)) {
    watcher_.admitted(worker, admit->question, admit->admitted);
  }
}

void Cluster::start_process(WorkerNode& worker, const worker::StartProcess& start) {
  for (const auto& [number, process] : worker.processes) {
    if (process.port == start.port) {
      throw Violation::safety(worker.id.text() + " uses port " + std::to_string(start.port) +
                              " twice");
    }
  }
  worker.processes[start.room] = Process{start.group, start.port, false, false};
  const RoomNumber room = start.room;
  const Faults& faults = options_.faults;
  const Duration boot{random_.between(0, options_.boot_most.count())};
  if (!faults_over_ && random_.chance(faults.port_taken)) {
    end_process(worker, room, Duration{5'000}, "address in use");
  } else if (!faults_over_ && random_.chance(faults.boot_failure)) {
    end_process(worker, room, boot, "exit code 3");
  } else {
    scheduler_.after(boot, [this, &worker, room, run = worker.incarnation] {
      if (run != worker.incarnation) return;
      const auto found = worker.processes.find(room);
      if (found == worker.processes.end()) return;
      found->second.ready = true;
      tell(worker, worker::ProcessReady{room});
    });
    if (!faults_over_ && random_.chance(faults.game_crash)) {
      end_process(worker, room, boot + Duration{random_.between(0, 10'000'000)}, "signal 11");
    }
  }
}

void Cluster::end_process(WorkerNode& worker, RoomNumber room, Duration delay, const char* how) {
  scheduler_.after(delay, [this, &worker, room, how, run = worker.incarnation] {
    if (run != worker.incarnation || worker.processes.erase(room) == 0) return;
    watcher_.process_ended(worker, room);
    tell(worker, worker::ProcessExited{room, how});
  });
}

void Cluster::arm(WorkerNode& worker) {
  const SimTime due = std::max(worker.clock.when(worker.core->next_tick()), scheduler_.now());
  if (due == never || due >= worker.armed) return;
  worker.armed = due;
  scheduler_.at(due, [this, &worker, due, run = worker.incarnation] {
    if (run != worker.incarnation || worker.armed != due) return;
    worker.inbox.deliver([this, &worker] {
      worker.armed = never;
      const TimePoint local = worker.clock.at(scheduler_.now());
      for (int ticks = 0; worker.core->next_tick() <= local; ++ticks) {
        if (ticks == ticks_at_once) throw Violation::liveness(worker.id.text() + " spins");
        step(worker, worker::TimePassed{});
      }
      arm(worker);
    });
  });
}

}  // namespace fixkeep::sim
