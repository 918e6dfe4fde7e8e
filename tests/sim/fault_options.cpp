#include "tests/sim/fault_options.hpp"

#include <algorithm>
#include <ostream>

namespace fixkeep::sim {
namespace {

// Each kind of fault is on in half of the runs that may have it, so that they also meet alone.
Duration sometimes(Random& random, std::int64_t low, std::int64_t high) {
  const Duration drawn = seconds_between(random, low, high);
  return random.chance(0.5) ? drawn : Duration{};
}

}  // namespace

Faults draw_faults(Random& random) {
  Faults faults;
  const std::uint64_t profile = random.below(4);
  if (profile == 0) return faults;
  faults.master_crash_mean = sometimes(random, 2, 15);
  faults.master_pause_mean = sometimes(random, 2, 15);
  faults.pause_most = seconds_between(random, 1, 12);
  faults.mesh_cut_mean = sometimes(random, 1, 10);
  if (profile == 1) return faults;
  faults.worker_cut_mean = sometimes(random, 2, 10);
  faults.worker_crash_mean = sometimes(random, 4, 20);
  faults.worker_kill_mean = sometimes(random, 2, 10);
  faults.worker_pause_mean = sometimes(random, 4, 20);
  faults.slow_mean = sometimes(random, 2, 10);
  faults.replace_mean = sometimes(random, 1, 8);
  faults.boot_failure = random.chance(0.5) ? random.unit() * 0.3 : 0;
  faults.game_crash = random.chance(0.5) ? random.unit() * 0.3 : 0;
  faults.port_taken = random.chance(0.3) ? random.unit() * 0.2 : 0;
  return faults;
}

void draw_names_and_copies(std::uint64_t seed, Faults& drawn) {
  Random random{seed ^ 0x4d4d4d4d4d4dU};
  if (random.chance(0.1)) drawn.slow_name_mean = seconds_between(random, 1, 8);
  if (random.chance(0.15)) drawn.copy_mean = seconds_between(random, 1, 10);
}

Duration Faults::longest_nap() const {
  const bool naps = (master_pause_mean + machine_stall_mean).count() > 0;
  const Duration at_random = naps ? pause_most : Duration{};
  return pause_on_retry > 0 ? std::max(at_random, longest_retry_nap) : at_random;
}

void describe_faults(std::ostream& out, const Faults& faults) {
  const auto ms = [](Duration duration) { return duration.count() / 1'000; };
  out << "; faults (mean ms): master crash " << ms(faults.master_crash_mean) << ", master pause "
      << ms(faults.master_pause_mean) << " of up to " << ms(faults.pause_most) << ", mesh cut "
      << ms(faults.mesh_cut_mean) << ", worker cut " << ms(faults.worker_cut_mean)
      << ", worker crash " << ms(faults.worker_crash_mean) << ", worker pause "
      << ms(faults.worker_pause_mean) << ", slow " << ms(faults.slow_mean) << ", slow name "
      << ms(faults.slow_name_mean) << ", copy " << ms(faults.copy_mean) << ", link replaced "
      << ms(faults.replace_mean) << ", machine stall " << ms(faults.machine_stall_mean)
      << "; boot failure " << faults.boot_failure << ", game crash " << faults.game_crash
      << ", game silence " << faults.game_silence << ", port taken " << faults.port_taken
      << ", pause on retry " << faults.pause_on_retry << ", all masters restart at ms "
      << ms(faults.restart_all_at);
}

}  // namespace fixkeep::sim
