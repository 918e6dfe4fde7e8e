#include "lab/locks/options.hpp"

#include <CLI/CLI.hpp>

namespace fixkeep::client_sim {

void add_locks_options(CLI::App& command, LocksOptions& options) {
  auto& measured = options.measured;
  command.add_option("--rounds", options.rounds, "Measurements of each strategy, in turns")
      ->check(CLI::Range(1, 100));
  command.add_option("--seconds", measured.seconds, "Length of each contended measurement")
      ->check(CLI::Range(0.1, 600.0));
  command.add_option("--count", measured.count, "Uncontended acquisitions of a round")
      ->check(CLI::Range(20, 1'000'000));
  command.add_option("--keys", measured.keys, "Keys of the measurement with many")
      ->check(CLI::Range(2, 10'000));
  command
      .add_option("--in-flight", measured.in_flight,
                  "Keys that each master wants or holds at a time, of many")
      ->check(CLI::Range(1, 10'000));
  command.add_option("--hold-us", measured.hold_us, "Time for which a contended key is held")
      ->check(CLI::Range(0, 1'000'000));
  command
      .add_option("--kills", measured.kills,
                  "Holders that are killed, then as many that vanish and are cut off; and leaders")
      ->check(CLI::Range(0, 100));
  command.add_option("--lease-ms", options.lease_ms, "Lease of the locks that are measured alone")
      ->check(CLI::Range(100, 600'000));
  command.add_flag("--burst,!--no-burst", options.burst,
                   "And the burst of compare with each strategy (default)");
  command.add_flag("--tls", options.tls,
                   "The links of the locks that are measured alone are TLS 1.3");
  command.add_flag("--quick", options.quick, "Fewer and shorter of everything, to try it");
}

void make_quick(LocksOptions& options, const CLI::App& command) {
  const auto free = [&command](const char* name) { return command.count(name) == 0; };
  if (free("--rounds")) options.rounds = 1;
  if (free("--seconds")) options.measured.seconds = 0.5;
  if (free("--count")) options.measured.count = 1000;
  if (free("--kills")) options.measured.kills = 1;
  if (free("--lease-ms")) options.lease_ms = 1000;
}

}  // namespace fixkeep::client_sim
