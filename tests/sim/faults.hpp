// Random faults: each kind strikes again and again at random intervals until the faults are over.
//
// Thread rule: one owner.
#pragma once

#include <functional>
#include <utility>

#include "common/base/random.hpp"
#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

class FaultPlan {
 public:
  FaultPlan(const Options& options, Scheduler& scheduler, Random random, Cluster& cluster)
      : options_(options), scheduler_(scheduler), random_(random), cluster_(cluster) {}

  void start();

 private:
  void strike(Duration mean, const std::function<void()>& fault);
  void again(Duration mean, std::function<void()> fault);
  void crash_master();
  void restart_all_masters();
  void pause_master();
  void crash_worker();
  void kill_worker();
  void pause_worker();
  void cut_mesh();
  void cut_worker();
  void slow_down();
  void slow_name();
  void copy_worker();
  void stall_machine();
  void replace_link();
  [[nodiscard]] std::pair<NodeIndex, NodeIndex> any_link();
  void split_masters(Duration length);
  [[nodiscard]] bool over() const { return scheduler_.now() >= options_.faults_until; }
  Duration length() { return Duration{random_.between(10'000, 6'000'000)}; }
  std::size_t any_master() { return random_.below(options_.masters); }
  std::size_t any_worker() { return random_.below(options_.workers); }

  const Options& options_;
  Scheduler& scheduler_;
  Random random_;
  Cluster& cluster_;
};

}  // namespace fixkeep::sim
