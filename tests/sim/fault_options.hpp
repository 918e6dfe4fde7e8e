// What may go wrong in a run.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "common/base/random.hpp"
#include "common/base/time.hpp"

namespace fixkeep::sim {

// A master from which a client turns away falls asleep for at most so long.
inline constexpr Duration longest_retry_nap{5'000'000};

// Means are of exponential-like random intervals; zero: it never happens.
struct Faults {
  Duration master_crash_mean{};
  Duration master_pause_mean{};
  Duration pause_most{};
  Duration mesh_cut_mean{};      // partitions and broken links between masters
  Duration worker_cut_mean{};    // the same between masters and workers
  Duration worker_crash_mean{};  // with its games
  Duration worker_kill_mean{};   // without them: its next run finds them
  Duration worker_pause_mean{};
  Duration slow_mean{};       // any link, between masters too
  Duration slow_name_mean{};  // the name of the end that is dialled is looked up for long
  Duration copy_mean{};       // another machine runs under the name of a worker for a while
  Duration replace_mean{};    // a link is dialled anew before its other end has noticed anything
  Duration machine_stall_mean{};  // all nodes of a machine pause at once
  double boot_failure = 0;
  double game_crash = 0;
  double game_silence = 0;  // it says once that it is well, and never again
  double port_taken = 0;
  double pause_on_retry = 0;         // the master from which a client turns away falls asleep
  Duration restart_all_at{};         // all masters at once, when nobody waits
  bool scripted_in_masters = false;  // a test strikes by itself
  bool scripted_in_workers = false;
  bool scripted_copies = false;
  bool scripted_naps = false;

  [[nodiscard]] Duration longest_nap() const;
  [[nodiscard]] bool in_masters() const {
    return scripted_in_masters ||
           (master_crash_mean + master_pause_mean + mesh_cut_mean + slow_name_mean + replace_mean +
            machine_stall_mean)
                   .count() > 0 ||
           pause_on_retry > 0;
  }
  [[nodiscard]] bool copies() const { return scripted_copies || copy_mean.count() > 0; }
  // A copy takes the place of no worker whose links last: so copies alone are no fault of workers.
  [[nodiscard]] bool in_workers() const {
    return scripted_in_workers || (copies() && in_masters()) ||
           (worker_cut_mean + worker_crash_mean + worker_kill_mean + worker_pause_mean + slow_mean +
            slow_name_mean + replace_mean + machine_stall_mean)
                   .count() > 0;
  }
  [[nodiscard]] bool in_games() const {
    return boot_failure + game_crash + game_silence + port_taken > 0;
  }
  [[nodiscard]] bool any() const {
    return in_masters() || in_workers() || in_games() || copies() || restart_all_at.count() > 0;
  }
};

[[nodiscard]] inline Duration seconds_between(Random& random, std::int64_t low, std::int64_t high) {
  return Duration{random.between(low * 1'000'000, high * 1'000'000)};
}
[[nodiscard]] Faults draw_faults(Random& random);
// From a generator of its own, so that a seed without them is what it was before there were any.
void draw_names_and_copies(std::uint64_t seed, Faults& drawn);
void describe_faults(std::ostream& out, const Faults& faults);

}  // namespace fixkeep::sim
