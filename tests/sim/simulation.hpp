// One run: cluster, clients, faults and judge, from one seed to one verdict.
//
// First safety: faults strike at random while players come. Then the faults stop, everything is
// healed, and liveness is demanded: within a bound every client has its seat, every seat that
// nobody came for is free again, rooms that stay empty are closed, and every master's directory
// says the same as the workers. Thread rule: one owner. Errors: the verdict; a failed assertion of
// the cores ends the process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/busy_judge.hpp"
#include "tests/sim/clients.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/collision_truth.hpp"
#include "tests/sim/ghost_judge.hpp"
#include "tests/sim/headroom_judge.hpp"
#include "tests/sim/invariants.hpp"
#include "tests/sim/lineup_judge.hpp"
#include "tests/sim/matches.hpp"
#include "tests/sim/newcomer_judge.hpp"
#include "tests/sim/options.hpp"
#include "tests/sim/pool_judge.hpp"
#include "tests/sim/result_judge.hpp"
#include "tests/sim/trace.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {

struct Outcome {
  Verdict verdict = Verdict::good;
  std::string what;  // empty if good
  std::uint32_t rooms = 0;
  std::uint32_t ideal_rooms = 0;
  std::uint32_t refusals = 0;
  std::uint32_t seated = 0;
  std::uint64_t orders_refused = 0;  // orders that came too late
  std::uint64_t orders_sent = 0;
  std::uint64_t events = 0;
  std::uint64_t messages = 0;
  SimTime simulated{};
  std::uint64_t longest_overtaking = 0;
  double fairness = 1;          // Jain's index of lock grants over masters, the least of all groups
  std::vector<Duration> waits;  // of each client that was seated, from asking to the answer

  [[nodiscard]] Duration slowest_seat() const;
};

class Simulation : private ClusterWatcher {
 public:
  explicit Simulation(Options options, Trace::Mode trace = Trace::Mode::off);
  ~Simulation() override;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // A test's own faults: at a time, or once, as soon as the condition holds after an event.
  void at(SimTime time, Job job) { scheduler_.at(time, std::move(job)); }
  void when(std::function<bool()> condition, Job job);

  // From here on it is told what happens; it outlives the run.
  void tell(CollisionTruth& truth) { truth_ = &truth; }

  Outcome run();

  [[nodiscard]] Cluster& cluster() { return *cluster_; }
  [[nodiscard]] const Clients& clients() const { return clients_; }
  [[nodiscard]] const Invariants& invariants() const { return invariants_; }
  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] SimTime now() const { return scheduler_.now(); }
  [[nodiscard]] std::uint64_t orders_refused() const { return orders_refused_; }

 private:
  struct Watch {
    std::function<bool()> condition;
    Job job;
  };

  void master_takes(MasterNode& master, const master::Event& event) override;
  void master_stepped(MasterNode& master, const master::Actions& actions) override;
  void worker_stepped(WorkerNode& worker, const worker::Actions& actions) override;
  void worker_takes(WorkerNode& worker, const worker::Event& event) override;
  void worker_batch_ended(WorkerNode& worker) override;
  void seated(MasterNode& master, const master::Seated& seated) override;
  void cancelled(MasterNode& master, TicketId ticket) override {
    clients_.cancelled(master, ticket);
  }
  void refused(MasterNode& master, const master::Refused& refused) override;
  void result_answered(WorkerNode& worker, const worker::AnswerResult& answer) override {
    results_.answered(worker, answer);
  }
  void admitted(WorkerNode& worker, std::uint64_t question, bool admitted) override;
  void process_ended(WorkerNode& worker, RoomNumber room, Ending ending) override;
  void master_crashed(MasterNode& master) override;
  void worker_crashed(WorkerNode& worker) override;
  void worker_killed(WorkerNode& worker) override;

  void run_until(SimTime time, const std::function<bool()>& done);
  void run_watches();
  void live();
  void look_again();
  [[nodiscard]] bool judged_live() const { return options_.ample() || options_.checks.scarcity; }
  void come_to_rest();
  void part_with_those_left();
  void part();
  void judge_end();
  void judge_seats();
  void judge_directories();
  void judge_rooms();
  void judge_ghosts();
  void fill(Outcome& outcome);

  Options options_;
  Random random_;
  Scheduler scheduler_;
  Trace trace_;
  Cluster* cluster_address_ = nullptr;
  Clients clients_;
  Invariants invariants_;
  HeadroomJudge headroom_;
  BusyJudge busy_;
  PoolJudge pools_;
  GhostJudge ghosts_;
  LineupJudge lineups_;
  NewcomerJudge newcomers_;
  ResultJudge results_{cluster_address_};
  Matches matches_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<class FaultPlan> faults_;
  std::vector<Watch> watches_;
  std::uint64_t orders_refused_ = 0;
  CollisionTruth* truth_ = nullptr;
};

// Runs the options and, when that fails, once more to report the last events.
[[nodiscard]] Outcome simulate(const Options& options);

}  // namespace fixkeep::sim
