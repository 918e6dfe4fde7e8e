// Runs on machines that are busy at times.
#include <algorithm>
#include <ostream>

#include "tests/sim/options.hpp"

namespace fixkeep::sim {
namespace {

Duration drawn_between(Random& random, std::int64_t low_ms, std::int64_t high_ms) {
  return Duration{random.between(low_ms * 1'000, high_ms * 1'000)};
}

// Games are well if they say so within three seconds, which is what workers of a run demand.
constexpr std::int64_t health_every_ms = 500;
constexpr std::int64_t health_lag_most_ms = 2'000;

void draw_busy(Random& random, Options& drawn) {
  BusyOptions& busy = drawn.busy;
  busy.machines = static_cast<std::uint32_t>(random.between(1, 4));
  busy.spell_mean = drawn_between(random, 200, 6'000);
  busy.spell_most = drawn_between(random, 1'000, 20'000);
  busy.lag_most = random.chance(0.5) ? drawn_between(random, 50, 1'000)  //
                                     : drawn_between(random, 1'000, 3'000);
  busy.starts = static_cast<std::uint32_t>(random.between(1, 4));
  busy.start_most = drawn_between(random, 10, 500);
  busy.slowdown = static_cast<std::uint32_t>(random.between(1, 10));
  // A boot is to end within the time that a mode allows for it, also in a spell.
  constexpr Duration longest_boot{20'000'000};
  while (busy.slowdown > 1 && drawn.longest_boot() * busy.slowdown > longest_boot) --busy.slowdown;
  if (random.chance(0.6)) {
    busy.health_every = Duration{health_every_ms * 1'000};
    busy.health_lag_most = drawn_between(random, 0, health_lag_most_ms);
  }
}

// Nobody goes, gives up or comes late, so that every room that is made is needed.
void expect_exact_rooms(Random& random, Options& drawn) {
  drawn.arrival = Arrival::burst;
  drawn.arrive_within = drawn_between(random, 10, 20'000);
  drawn.waves = 1;
  drawn.wave_gap = drawn.play_most = {};
  drawn.parties = drawn.hang_ups = drawn.never_claims = 0;
  drawn.retries = drawn.rivals = drawn.late_comers = 0;
  drawn.room_limit = 1'000;
  for (WorkerConfig& each : drawn.worker_configs) each.room_limit = drawn.room_limit;
  // Seats outlast every lag between the grant and the door.
  const Duration lags = 8 * drawn.busy.lag_most;
  drawn.reservation += lags;
  for (WorkerConfig& each : drawn.worker_configs) each.reservation += lags;
}

// Starts may take so long that many a game waits for its own longer than a boot may take. A lease
// lasts for a fence and an order, each of which waits for its worker and then for the master: where
// it lapses before, hold after hold, nobody is seated until the spell is over.
void be_patient(Random& random, Options& drawn) {
  drawn.busy.patient = true;
  const Duration lease = 6 * drawn.busy.lag_most;
  drawn.lock_lease = std::max(drawn.lock_lease, lease);
  for (MasterConfig& each : drawn.master_configs)
    each.lock_lease = std::max(each.lock_lease, lease);
  if (random.chance(0.4)) drawn.busy.start_most = drawn_between(random, 500, 2'000);
  drawn.lock_wait += 40 * drawn.busy.lag_most;
  drawn.request_wait += 40 * drawn.busy.lag_most + drawn.longest_start();
}

}  // namespace

Options draw_busy_options(std::uint64_t seed) {
  Options drawn = draw_options(seed);
  Random random{seed ^ 0x6a6a6a6a6a6aU};
  const bool exact = random.chance(0.6);
  drawn.faults = {};
  draw_busy(random, drawn);
  drawn.busy.by_itself = true;
  if (exact) expect_exact_rooms(random, drawn);
  if (exact || random.chance(0.5)) be_patient(random, drawn);
  drawn.busy.until = drawn.last_arrival() + drawn_between(random, 1'000, 20'000);
  return drawn;
}

// From a generator of its own, so that a seed without spells is what it was before there were any.
void draw_spells(Options& drawn) {
  Random random{drawn.seed ^ 0x7c7c7c7c7c7cU};
  if (!random.chance(0.2)) return;
  draw_busy(random, drawn);
  drawn.busy.until = drawn.faults.any()
                         ? drawn.faults_until
                         : drawn.last_arrival() + drawn_between(random, 1'000, 20'000);
  const bool may_stall = drawn.faults.in_masters() && drawn.faults.pause_most.count() > 0;
  if (may_stall && random.chance(0.5)) {
    drawn.faults.machine_stall_mean = drawn_between(random, 2'000, 15'000);
  }
}

Duration Options::longest_start() const {
  return busy.on() ? busy.longest_start(players + most_warm(), longest_boot()) : longest_boot();
}

void describe_busy(std::ostream& out, const BusyOptions& busy) {
  const auto ms = [](Duration duration) { return duration.count() / 1'000; };
  if (!busy.on()) return;
  out << "; machines " << busy.machines << ", busy every ms " << ms(busy.spell_mean)
      << " for up to " << ms(busy.spell_most) << " until " << ms(busy.until) << ", lag_ms "
      << ms(busy.lag_most) << ", starts at once " << busy.starts << " of up to ms "
      << ms(busy.start_most) << ", slowdown " << busy.slowdown << ", health_every_ms "
      << ms(busy.health_every) << " late by " << ms(busy.health_lag_most)
      << (busy.patient ? ", patient" : "");
}

}  // namespace fixkeep::sim
