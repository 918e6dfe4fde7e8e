#include "tests/sim/cluster.hpp"

#include <utility>

#include "common/base/assert.hpp"
#include "common/wire/codec.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
Cluster::Cluster(const Options& options, Scheduler& scheduler, Random& random, Trace& trace,
                 ClusterWatcher& watcher)
    : options_(options),
      scheduler_(scheduler),
      random_(random),
      trace_(trace),
      watcher_(watcher),
      machines_(options.busy, scheduler, trace, options.seed),
      network_(scheduler, Random{random.next()}, options.network,
               NetworkHandlers{[this](NodeIndex node) {
                                 return is_master(node) ? masters_[node]->incarnation
                                                        : worker_at(node).incarnation;
                               },
                               [this](NodeIndex self, NodeIndex peer, net::LinkNumber link,
                                      Incarnation run) { link_up(self, peer, link, run); },
                               [this](NodeIndex self, NodeIndex peer) { link_down(self, peer); },
                               [this](NodeIndex self, NodeIndex peer, std::string_view payload) {
                                 deliver(self, peer, payload);
                               }}) {
  for (std::uint16_t number = 1; number <= options.masters; ++number) {
    auto made = std::make_unique<MasterNode>();
    made->id = MasterId{number};
    made->clock = draw_clock();
    made->node = network_.add_node(made->inbox);
    machines_.add_node();
    for (NodeIndex other = 0; other < made->node; ++other) network_.link(made->node, other);
    masters_.push_back(std::move(made));
  }
  for (std::uint32_t index = 0; index < options.workers; ++index) {
    const WorkerId id{"w" + std::to_string(index + 1)};
    by_name_[id] = index;
    add_worker(id, index, workers_);
  }
  if (!options.faults.copies()) return;
  for (const auto& worker : workers_) {
    add_worker(worker->id, worker->index, copies_);
    network_.share_a_name(worker->node, copies_.back()->node);
  }
}

void Cluster::add_worker(const WorkerId& id, std::size_t index,
                         std::vector<std::unique_ptr<WorkerNode>>& to) {
  auto made = std::make_unique<WorkerNode>();
  made->id = id;
  made->index = index;
  made->clock = draw_clock();
  made->node = network_.add_node(made->inbox);
  machines_.add_node();
  for (const auto& master : masters_) network_.link(made->node, master->node);
  to.push_back(std::move(made));
}

NodeClock Cluster::draw_clock() {
  return NodeClock{Duration{random_.between(1, 1'000'000'000'000)}, random_.between(-200, 200)};
}

void Cluster::start() {
  machines_.start();
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    scheduler_.after(Duration{random_.between(0, 50'000)}, [this, i] { start_master(i); });
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    scheduler_.after(Duration{random_.between(0, 50'000)}, [this, i] { start_worker(i); });
  }
}

WorkerNode* Cluster::find_worker(const RoomId& room) {
  const auto found = by_name_.find(room.worker);
  if (found == by_name_.end()) return nullptr;
  WorkerNode* worker = workers_[found->second].get();
  if (!copies_.empty() && worker->incarnation != room.incarnation) {
    worker = copies_[found->second].get();
  }
  if (!worker->core && !worker->killed) return nullptr;
  return worker->incarnation == room.incarnation ? worker : nullptr;
}

WorkerNode& Cluster::worker_at(NodeIndex node) {
  const std::size_t index = node - masters_.size();
  return index < workers_.size() ? *workers_[index] : *copies_[index - workers_.size()];
}

NodeIndex Cluster::linked(const MasterNode& master, const WorkerId& id,
                          net::LinkNumber link) const {
  const std::size_t index = by_name_.at(id);
  const bool to_copy = !copies_.empty() && network_.up(master.node, copies_[index]->node, link);
  return (to_copy ? copies_ : workers_)[index]->node;
}

// --- faults -------------------------------------------------------------------------------------

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
  const MasterConfig config = options_.master_config(index);
  made.locks.lease = config.lock_lease;
  made.worker_reply = config.worker_reply;
  made.spawn_attempts = config.spawn_attempts;
  made.out_of_sight = options_.out_of_sight;
  // Five round trips more than workers pause, as common/base/time_limits.hpp has it. Here nobody
  // takes the connection to a master that sleeps, as its kernel does, and its worker pauses again.
  const int pauses = options_.faults.longest_nap() > Duration{} ? 2 : 1;
  made.await_workers = pauses * options_.network.reconnect_most + 10 * options_.network.delay_most;
  for (std::uint32_t number = 0; number < options_.warm_modes; ++number) {
    made.modes.warm.push_back({options_.mode(number), options_.capacity, options_.warm});
  }
  made.record_events = options_.record_events;
  master.late_until = TimePoint::min();
  master.core.emplace(std::move(made), master.clock.at(scheduler_.now()));
  master.armed = never;
  master.queue = {};
  master.backlog = {};
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
    arrive(master, master::TimePassed{});
  }
  master.inbox.resume(scheduler_.now());
}

void Cluster::start_worker(std::size_t index) {
  start_worker(*workers_[index]);
}

void Cluster::start_copy(std::size_t index) {
  start_worker(*copies_[index]);
}

void Cluster::start_worker(WorkerNode& worker) {
  if (worker.inbox.running()) return;
  const std::size_t index = worker.index;
  trace_.line(scheduler_.now(), worker.id.text(), "STARTED");
  if (!worker.killed) worker.incarnation = Incarnation{++incarnations_};
  worker::RoomHostOptions made;
  made.self = worker.id;
  made.keep_records = options_.faults.worker_kill_mean.count() > 0;
  made.incarnation = worker.incarnation;
  made.zone = ZoneName{std::string(1, static_cast<char>('a' + index % options_.zones))};
  made.address = "10.0.0." + std::to_string(index + 1);
  const WorkerConfig config = options_.worker_config(index);
  made.room_limit = config.room_limit;
  made.reservation = config.reservation;
  made.close_empty_after = options_.close_empty_after;
  made.unwanted_after = options_.unwanted_after;
  made.health_period = Duration{1'000'000};
  made.boot_backoff.most = options_.boot_pause_most;
  for (const ModeName& mode : config.modes) {
    made.modes.push_back({mode, Duration{30'000'000}, Duration{2'000'000}, 0});
    made.modes.back().reconnect = options_.reconnect;
  }
  made.starts_queue = options_.busy.on();
  made.record_events = options_.record_events;
  if (!worker.killed) worker.epoch = worker.clock.at(scheduler_.now());
  worker.late_until = TimePoint::min();
  worker.core.emplace(std::move(made), worker.epoch);
  worker.rooms.clear();
  ++worker.changes;
  worker.armed = never;
  worker.queue = {};
  worker.backlog = {};
  worker.wanted.clear();
  worker.dies_after.reset();
  worker.inbox.start();
  if (std::exchange(worker.killed, false)) go_on(worker);
  network_.node_started(worker.node);
  arm(worker);
}

void Cluster::crash_worker(std::size_t index) {
  crash_worker(*workers_[index]);
}

void Cluster::crash_copy(std::size_t index) {
  crash_worker(*copies_[index]);
}

void Cluster::crash_worker(WorkerNode& worker) {
  if (!worker.inbox.running()) return;
  trace_.line(scheduler_.now(), worker.id.text(), "CRASHED");
  worker.inbox.crash();
  network_.node_crashed(worker.node);
  forget_starts(worker);
  worker.processes.clear();
  worker.newest_start = {};
  worker.memory = {};
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
  machines_.calm();
  network_.heal();
  for (const auto& copy : copies_) crash_worker(*copy);
  for (std::size_t i = 0; i < masters_.size(); ++i) {
    resume_master(i);
    start_master(i);
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    resume_worker(i);
    start_worker(i);
  }
}

// --- links --------------------------------------------------------------------------------------

void Cluster::link_up(NodeIndex self, NodeIndex peer, net::LinkNumber link, Incarnation run) {
  if (is_master(peer)) {
    const MasterId id = masters_[peer]->id;
    const node::LinkChange change{net::Role::master, to_string(id), link};
    if (is_master(self)) {
      arrive(*masters_[self], master::PeerConnected{id}, change);
    } else {
      arrive(worker_at(self), worker::MasterConnected{id}, change);
    }
  } else {
    const WorkerId& id = worker_at(peer).id;
    arrive(*masters_[self], master::WorkerConnected{id, run},
           node::LinkChange{net::Role::worker, id.text(), link});
  }
}

void Cluster::link_down(NodeIndex self, NodeIndex peer) {
  if (is_master(peer)) {
    const MasterId id = masters_[peer]->id;
    const node::LinkChange change{net::Role::master, to_string(id)};
    if (is_master(self)) {
      arrive(*masters_[self], master::PeerDisconnected{id}, change);
    } else {
      arrive(worker_at(self), worker::MasterDisconnected{id}, change);
    }
  } else {
    const WorkerId& id = worker_at(peer).id;
    arrive(*masters_[self], master::WorkerDisconnected{id},
           node::LinkChange{net::Role::worker, id.text()});
  }
}

void Cluster::deliver(NodeIndex self, NodeIndex peer, std::string_view payload) {
  // A node of ours says nothing that ours refuses.
  if (!is_master(self)) {
    auto said = wire::decode<wire::ToWorker>(payload).value();
    arrive(worker_at(self),
           worker::MasterSaid{masters_[peer]->id, std::get<wire::Order>(std::move(said))});
  } else if (is_master(peer)) {
    auto said = wire::decode<wire::BetweenMasters>(payload).value();
    arrive(*masters_[self], master::PeerSaid{masters_[peer]->id, std::move(said)});
  } else {
    auto said = wire::decode<wire::FromWorker>(payload).value();
    arrive(*masters_[self],
           master::WorkerSaid{worker_at(peer).id, std::get<wire::Report>(std::move(said))});
  }
}

// --- masters ------------------------------------------------------------------------------------

void Cluster::tell(MasterNode& master, master::Event event) {
  master.inbox.deliver(
      [this, &master, event = std::move(event)]() mutable { arrive(master, std::move(event)); });
}

void Cluster::step(MasterNode& master, master::Event event) {
  if (trace_.on()) trace_.line(scheduler_.now(), to_string(master.id), describe(event));
  if (const auto* gone = std::get_if<master::RequestCancelled>(&event)) {
    watcher_.cancelled(master, gone->ticket);
  }
  watcher_.master_takes(master, event);
  master::Actions actions;
  master.core->step(std::move(event), master.clock.at(scheduler_.now()), actions);
  watcher_.master_stepped(master, actions);
  for (const master::Action& action : actions) {
    if (trace_.on()) trace_.line(scheduler_.now(), to_string(master.id), "  " + describe(action));
    perform(master, action);
  }
}

void Cluster::perform(MasterNode& master, const master::Action& action) {
  const auto link_to = [&](net::Role role, const std::string& name) {
    return master.queue.links().of(role, name);
  };
  if (const auto* send = std::get_if<master::SendToWorker>(&action)) {
    const auto link = link_to(net::Role::worker, send->worker.text());
    network_.send(master.node, linked(master, send->worker, link), link, send->message);
  } else if (const auto* to_peer = std::get_if<master::SendToPeer>(&action)) {
    network_.send(master.node, this->master(to_peer->peer).node,
                  link_to(net::Role::master, to_string(to_peer->peer)), to_peer->message);
  } else if (const auto* close = std::get_if<master::CloseWorkerLink>(&action)) {
    // Right towards a worker that was asked and stayed silent; without faults nobody does.
    // busy_judge.hpp judges those that are late.
    if (!options_.faults.any() && !options_.busy.on()) {
      throw Violation::safety(to_string(master.id) + " gives up on " + close->worker.text());
    }
    const auto link = link_to(net::Role::worker, close->worker.text());
    network_.close(master.node, linked(master, close->worker, link), link);
  } else if (const auto* close_peer = std::get_if<master::ClosePeerLink>(&action)) {
    throw Violation::safety(to_string(master.id) + " says that " + to_string(close_peer->peer) +
                            " broke the protocol");
  } else if (const auto* seated = std::get_if<master::Seated>(&action)) {
    watcher_.seated(master, *seated);
  } else if (const auto* refused = std::get_if<master::Refused>(&action)) {
    watcher_.refused(master, *refused);
  }
}

}  // namespace fixkeep::sim
