#include "tests/sim/faults.hpp"

#include <utility>
#include <vector>

namespace fixkeep::sim {

void FaultPlan::start() {
  const Faults& faults = options_.faults;
  strike(faults.master_crash_mean, [this] { crash_master(); });
  strike(faults.master_pause_mean, [this] { pause_master(); });
  strike(faults.mesh_cut_mean, [this] { cut_mesh(); });
  strike(faults.worker_cut_mean, [this] { cut_worker(); });
  strike(faults.worker_crash_mean, [this] { crash_worker(); });
  strike(faults.worker_kill_mean, [this] { kill_worker(); });
  strike(faults.worker_pause_mean, [this] { pause_worker(); });
  strike(faults.slow_mean, [this] { slow_down(); });
  strike(faults.slow_name_mean, [this] { slow_name(); });
  strike(faults.copy_mean, [this] { copy_worker(); });
  strike(faults.replace_mean, [this] { replace_link(); });
  strike(faults.machine_stall_mean, [this] { stall_machine(); });
  if (faults.restart_all_at.count() > 0) {
    scheduler_.at(faults.restart_all_at, [this] { restart_all_masters(); });
  }
}

void FaultPlan::strike(Duration mean, const std::function<void()>& fault) {
  if (mean.count() > 0) again(mean, fault);
}

void FaultPlan::again(Duration mean, std::function<void()> fault) {
  const Duration wait{random_.between(1'000, 2 * mean.count())};
  scheduler_.after(wait, [this, mean, fault = std::move(fault)]() mutable {
    if (over()) return;
    fault();
    again(mean, std::move(fault));
  });
}

void FaultPlan::crash_master() {
  const std::size_t index = any_master();
  cluster_.crash_master(index);
  scheduler_.after(length(), [this, index] { cluster_.start_master(index); });
}

void FaultPlan::restart_all_masters() {
  for (std::size_t i = 0; i < cluster_.masters().size(); ++i) {
    cluster_.crash_master(i);
    const Duration down{random_.between(10'000, 3'000'000)};
    scheduler_.after(down, [this, i] { cluster_.start_master(i); });
  }
}

void FaultPlan::pause_master() {
  const std::size_t index = any_master();
  cluster_.pause_master(index);
  const Duration pause{random_.between(10'000, options_.faults.pause_most.count())};
  scheduler_.after(pause, [this, index] { cluster_.resume_master(index); });
}

void FaultPlan::crash_worker() {
  const std::size_t index = any_worker();
  cluster_.crash_worker(index);
  scheduler_.after(length(), [this, index] { cluster_.start_worker(index); });
}

// After so many of the actions of its next batch, or at once.
void FaultPlan::kill_worker() {
  const std::size_t index = any_worker();
  cluster_.kill_worker(index, random_.below(8));
  scheduler_.after(length(), [this, index] { cluster_.start_worker(index); });
}

void FaultPlan::pause_worker() {
  const std::size_t index = any_worker();
  cluster_.pause_worker(index);
  const Duration pause{random_.between(10'000, options_.faults.pause_most.count())};
  scheduler_.after(pause, [this, index] { cluster_.resume_worker(index); });
}

// Nothing on it runs for a while.
void FaultPlan::stall_machine() {
  const auto machine = static_cast<std::uint32_t>(random_.below(options_.busy.machines));
  const Duration pause{random_.between(10'000, options_.faults.pause_most.count())};
  const auto on_it = [&](const auto& node) {
    return cluster_.machines().machine_of(node->node) == machine;
  };
  for (std::size_t i = 0; i < cluster_.masters().size(); ++i) {
    if (!on_it(cluster_.masters()[i])) continue;
    cluster_.pause_master(i);
    scheduler_.after(pause, [this, i] { cluster_.resume_master(i); });
  }
  for (std::size_t i = 0; i < cluster_.workers().size(); ++i) {
    if (!on_it(cluster_.workers()[i])) continue;
    cluster_.pause_worker(i);
    scheduler_.after(pause, [this, i] { cluster_.resume_worker(i); });
  }
}

// A broken link, a pair that cannot reach each other (not transitive), or a clean split.
void FaultPlan::cut_mesh() {
  if (options_.masters < 2) return;
  const std::size_t a = any_master();
  const std::size_t b = (a + 1 + random_.below(options_.masters - 1U)) % options_.masters;
  const NodeIndex node_a = cluster_.masters()[a]->node;
  const NodeIndex node_b = cluster_.masters()[b]->node;
  const std::uint64_t kind = random_.below(3);
  if (kind == 0) {
    cluster_.network().break_link(node_a, node_b);
  } else if (kind == 1) {
    cluster_.network().set_blocked(node_a, node_b, true);
    scheduler_.after(length(), [this, node_a, node_b] {
      cluster_.network().set_blocked(node_a, node_b, false);
    });
  } else {
    split_masters(length());
  }
}

void FaultPlan::split_masters(Duration length) {
  std::vector<NodeIndex> left;
  std::vector<NodeIndex> right;
  for (const auto& master : cluster_.masters()) {
    (random_.chance(0.5) ? left : right).push_back(master->node);
  }
  for (const NodeIndex a : left) {
    for (const NodeIndex b : right) cluster_.network().set_blocked(a, b, true);
  }
  scheduler_.after(length, [this, left, right] {
    for (const NodeIndex a : left) {
      for (const NodeIndex b : right) cluster_.network().set_blocked(a, b, false);
    }
  });
}

void FaultPlan::cut_worker() {
  const NodeIndex master = cluster_.masters()[any_master()]->node;
  const NodeIndex worker = cluster_.workers()[any_worker()]->node;
  if (random_.chance(0.5)) {
    cluster_.network().break_link(master, worker);
    return;
  }
  cluster_.network().set_blocked(master, worker, true);
  scheduler_.after(
      length(), [this, master, worker] { cluster_.network().set_blocked(master, worker, false); });
}

// Of a master, to a worker or to another master.
std::pair<NodeIndex, NodeIndex> FaultPlan::any_link() {
  const std::size_t master = any_master();
  const std::size_t other = random_.below(options_.workers + options_.masters - 1U);
  const NodeIndex node = cluster_.masters()[master]->node;
  if (other < options_.workers) return {node, cluster_.workers()[other]->node};
  const std::size_t peer = (master + 1 + other - options_.workers) % options_.masters;
  return {node, cluster_.masters()[peer]->node};
}

void FaultPlan::slow_down() {
  const auto [a, b] = any_link();
  cluster_.network().set_slow(a, b, true);
  scheduler_.after(length(),
                   [this, from = a, to = b] { cluster_.network().set_slow(from, to, false); });
}

// As is the way of a name server, whether or not there is a link now.
void FaultPlan::slow_name() {
  const auto [a, b] = any_link();
  cluster_.network().set_slow_name(a, b, true);
  scheduler_.after(length(),
                   [this, from = a, to = b] { cluster_.network().set_slow_name(from, to, false); });
}

// A machine is copied that runs.
void FaultPlan::copy_worker() {
  const std::size_t index = any_worker();
  const NodeIndex worker = cluster_.workers()[index]->node;
  for (const auto& master : cluster_.masters()) {
    if (master->inbox.running() && !cluster_.network().up(master->node, worker)) return;
  }
  cluster_.start_copy(index);
  scheduler_.after(length(), [this, index] { cluster_.crash_copy(index); });
}

void FaultPlan::replace_link() {
  const auto [a, b] = any_link();
  cluster_.network().replace_link(a, b);
}

}  // namespace fixkeep::sim
