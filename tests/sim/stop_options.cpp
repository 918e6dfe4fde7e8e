// Runs in which workers are stopped often, for seconds, while players come one after another.
#include <algorithm>

#include "tests/sim/options.hpp"

namespace fixkeep::sim {
namespace {

// Everybody stays, and nobody hangs up or comes late, so each seat that is free can be used.
void let_all_stay(Options& drawn) {
  drawn.waves = 1;
  drawn.wave_gap = drawn.play_most = drawn.reconnect = {};
  drawn.parties = drawn.hang_ups = drawn.never_claims = drawn.comes_back = drawn.follows = 0;
  drawn.retries = drawn.rivals = drawn.late_comers = 0;
  drawn.room_limit = 1'000;
  for (WorkerConfig& each : drawn.worker_configs) each.room_limit = drawn.room_limit;
  drawn.warm_modes = 0;
}

}  // namespace

void draw_stops(Options& drawn) {
  Random random{drawn.seed ^ 0x570b570b570bU};
  drawn.stops = true;
  const bool alone = random.chance(0.5);
  if (alone) drawn.faults = {};
  drawn.faults.worker_pause_mean = seconds_between(random, 1, 4);
  const Duration longest_stop = seconds_between(random, 1, 5);
  drawn.faults.pause_most = longest_stop;
  drawn.arrival = Arrival::poisson;
  drawn.arrive_within = seconds_between(random, 2, 6);
  const Duration before = drawn.longest_start();
  drawn.players = static_cast<std::uint32_t>(random.between(20, 200));
  // More of them start more games.
  if (drawn.busy.patient)
    drawn.request_wait += std::max(Duration{}, drawn.longest_start() - before);
  drawn.groups = static_cast<std::uint32_t>(random.between(1, 2));
  drawn.faults_until = drawn.last_arrival() + seconds_between(random, 0, 3);
  if (!alone) return;
  let_all_stay(drawn);
  // A worker is stopped again before it has found all masters.
  drawn.out_of_sight = 3 * longest_stop + seconds_between(random, 4, 6);
  drawn.reservation = drawn.out_of_sight + seconds_between(random, 10, 15);
  for (WorkerConfig& each : drawn.worker_configs) each.reservation = drawn.reservation;
  drawn.request_wait += drawn.out_of_sight;
}

bool Options::only_stops() const {
  if (!stops || faults.in_masters() || faults.in_games() || faults.copies()) return false;
  const Duration others = faults.worker_cut_mean + faults.worker_crash_mean +
                          faults.worker_kill_mean + faults.slow_mean + faults.slow_name_mean +
                          faults.restart_all_at + play_most;
  const double elsewhere = parties + hang_ups + never_claims + retries + rivals + late_comers;
  const bool waited_for = out_of_sight > 3 * faults.pause_most;
  return waited_for && others.count() == 0 && elsewhere == 0 && waves == 1;
}

}  // namespace fixkeep::sim
