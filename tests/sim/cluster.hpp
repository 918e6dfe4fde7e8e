// The simulated cluster: production MasterCore and RoomHost behind a simulated network, and the
// game processes that the workers start.
//
// The only driver of the cores here: it steps events in the order rule of the real one
// (common/node/event_queue.hpp), performs actions and keeps the timers. A loop comes to what has
// arrived at once, or a little later (Options::batches), or late since its machine is busy
// (busy_options.hpp). What the clients and the judge want to know, it tells them through
// ClusterWatcher.
//
// Sources: cluster.cpp (nodes, links, masters), cluster_turns.cpp (when a node comes to what has
// arrived), cluster_workers.cpp (workers), cluster_games.cpp (the processes that they start).
// Thread rule: one owner. Errors: a Violation thrown by a watcher passes through.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/random.hpp"
#include "tests/sim/machines.hpp"
#include "tests/sim/network.hpp"
#include "tests/sim/nodes.hpp"
#include "tests/sim/options.hpp"
#include "tests/sim/trace.hpp"

namespace fixkeep::sim {

enum class Ending : std::uint8_t {
  crashed,  // by itself
  ordered,  // by its worker
};

class ClusterWatcher {
 public:
  virtual ~ClusterWatcher() = default;
  // From here on the core may not answer the ticket.
  virtual void cancelled(MasterNode& master, TicketId ticket) = 0;
  // Before the core's step.
  virtual void master_takes(MasterNode& master, const master::Event& event) = 0;
  // After the core's step, before its actions are performed.
  virtual void master_stepped(MasterNode& master, const master::Actions& actions) = 0;
  virtual void worker_takes(WorkerNode& worker, const worker::Event& event) = 0;
  virtual void worker_stepped(WorkerNode& worker, const worker::Actions& actions) = 0;
  virtual void worker_batch_ended(WorkerNode& worker) = 0;
  virtual void seated(MasterNode& master, const master::Seated& seated) = 0;
  virtual void refused(MasterNode& master, const master::Refused& refused) = 0;
  virtual void result_answered(WorkerNode& worker, const worker::AnswerResult& answer) = 0;
  virtual void admitted(WorkerNode& worker, std::uint64_t question, bool admitted) = 0;
  virtual void process_ended(WorkerNode& worker, RoomNumber room, Ending ending) = 0;
  virtual void master_crashed(MasterNode& master) = 0;
  virtual void worker_crashed(WorkerNode& worker) = 0;
  virtual void worker_killed(WorkerNode& worker) = 0;
};

class Cluster {
 public:
  Cluster(const Options& options, Scheduler& scheduler, Random& random, Trace& trace,
          ClusterWatcher& watcher);

  void start();

  // --- what happens to nodes; without effect on a node in the wrong state
  void crash_master(std::size_t index);
  void start_master(std::size_t index);
  void pause_master(std::size_t index);
  void resume_master(std::size_t index);
  void crash_worker(std::size_t index);
  // It does so many actions more, or a moment later none.
  void kill_worker(std::size_t index, std::uint64_t actions);
  void start_worker(std::size_t index);
  void pause_worker(std::size_t index);
  void resume_worker(std::size_t index);
  void crash_game(std::size_t worker, RoomNumber room);
  // Of a machine under the name of the worker, which has rooms of its own and none of the worker's.
  void start_copy(std::size_t index);
  void crash_copy(std::size_t index);
  void end_faults();  // everything runs and reaches everything again

  // --- from clients and game processes, at once
  void tell(MasterNode& master, master::Event event);
  void tell(WorkerNode& worker, worker::Event event);

  [[nodiscard]] std::vector<std::unique_ptr<MasterNode>>& masters() { return masters_; }
  [[nodiscard]] std::vector<std::unique_ptr<WorkerNode>>& workers() { return workers_; }
  // By the index of their worker; none where a run has no copies.
  [[nodiscard]] std::vector<std::unique_ptr<WorkerNode>>& copies() { return copies_; }
  [[nodiscard]] WorkerNode& worker_at(NodeIndex node);  // copies too
  // Null if that life is over; it may be about to find its rooms again.
  [[nodiscard]] WorkerNode* find_worker(const RoomId& room);
  [[nodiscard]] MasterNode& master(MasterId id) { return *masters_.at(id.number() - 1U); }
  // The node that the link of a master leads to.
  [[nodiscard]] NodeIndex linked(const MasterNode& master, const WorkerId& id,
                                 net::LinkNumber link) const;
  [[nodiscard]] Network& network() { return network_; }
  [[nodiscard]] const Machines& machines() const { return machines_; }

 private:
  using Change = std::optional<node::LinkChange>;

  // Something happens to a node: it steps it with all else that waits.
  void arrive(MasterNode& master, master::Event event, const Change& change = {});
  void arrive(WorkerNode& worker, worker::Event event, const Change& change = {});
  template <class Node, class Event>
  void take_in(Node& node, Event&& event, const Change& change);
  template <class Node>
  [[nodiscard]] bool is_late(const Node& node) const;
  template <class Node>
  void await_turn(Node& node);
  template <class Node>
  void take_turn(Node& node);
  template <class Node>
  void drain(Node& node);
  void end_batch(MasterNode&) {}
  void end_batch(WorkerNode& worker);
  void die(WorkerNode& worker);
  void go_on(WorkerNode& worker);
  void find_process(WorkerNode& worker, const worker::AdoptProcess& adopt);
  void step(MasterNode& master, master::Event event);
  void step(WorkerNode& worker, worker::Event event);
  void perform(MasterNode& master, const master::Action& action);
  void perform(WorkerNode& worker, Wanted& wanted);
  template <class Node>
  void arm(Node& node);
  void start_process(WorkerNode& worker, const worker::StartProcess& start);
  void start_next(WorkerNode& worker);
  void forget_starts(WorkerNode& worker);
  void place(WorkerNode& worker, RoomNumber room, Duration delay);
  void tell_places(WorkerNode& worker);
  void boot(WorkerNode& worker, RoomNumber room);
  [[nodiscard]] Wants some_wants();
  void decide_newcomers(WorkerNode& worker, RoomNumber room, std::uint32_t decided);
  void say_result(WorkerNode& worker, RoomNumber room, std::uint32_t said);
  void say_healthy(WorkerNode& worker, RoomNumber room);
  [[nodiscard]] Duration waited_for_processor(const WorkerNode& worker, RoomNumber room) const;
  void end_process(WorkerNode& worker, RoomNumber room, Duration delay, const char* how,
                   Ending ending = Ending::crashed);
  void link_up(NodeIndex self, NodeIndex peer, net::LinkNumber link, Incarnation run);
  void link_down(NodeIndex self, NodeIndex peer);
  void deliver(NodeIndex self, NodeIndex peer, std::string_view payload);
  [[nodiscard]] bool is_master(NodeIndex node) const { return node < masters_.size(); }
  void add_worker(const WorkerId& id, std::size_t index,
                  std::vector<std::unique_ptr<WorkerNode>>& to);
  void start_worker(WorkerNode& worker);
  void crash_worker(WorkerNode& worker);
  NodeClock draw_clock();

  const Options& options_;
  Scheduler& scheduler_;
  Random& random_;
  Trace& trace_;
  ClusterWatcher& watcher_;
  Machines machines_;
  Network network_;
  std::vector<std::unique_ptr<MasterNode>> masters_;
  std::vector<std::unique_ptr<WorkerNode>> workers_;
  std::vector<std::unique_ptr<WorkerNode>> copies_;
  std::map<WorkerId, std::size_t> by_name_;
  std::uint64_t incarnations_ = 0;
  std::uint64_t results_said_ = 0;
  Random results_random_{options_.seed ^ 0x52534c54U};
  bool faults_over_ = false;
};

}  // namespace fixkeep::sim
