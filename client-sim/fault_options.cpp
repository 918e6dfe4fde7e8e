#include "client-sim/fault_options.hpp"

#include <CLI/CLI.hpp>

namespace fixkeep::client_sim {

namespace {

constexpr int longest_ms = 60'000;
constexpr int latest_ms = 600'000;

CLI::Option* add_time(CLI::App& command, const char* name, std::uint32_t& ms, const char* text,
                      int most) {
  return command.add_option(name, ms, text)->check(CLI::Range(0, most));
}

}  // namespace

void add_worker_fault_options(CLI::App& command, FaultOptions& options) {
  add_time(command, "--stop-worker-ms", options.stop_worker_ms,
           "The first worker is stopped under load (SIGSTOP) and goes on after so long",
           longest_ms);
  add_time(command, "--stop-worker-at-ms", options.stop_worker_at_ms,
           "So long after the load has begun", latest_ms)
      ->capture_default_str();
}

void add_master_fault_options(CLI::App& command, FaultOptions& options) {
  add_time(command, "--stop-master-ms", options.stop_master_ms,
           "The first master is stopped under load (SIGSTOP) and goes on after so long",
           longest_ms);
  add_time(command, "--kill-master-ms", options.kill_master_ms,
           "It is killed under load (SIGKILL) and started again after so long", longest_ms);
  add_time(command, "--cut-master-ms", options.cut_master_ms,
           "No other node reaches it under load, nor it any, for so long", longest_ms);
  add_time(command, "--master-fault-at-ms", options.master_fault_at_ms,
           "So long after the load has begun, for each of these three", latest_ms)
      ->capture_default_str();
}

std::string check_master_faults(const FaultOptions& options, std::size_t masters) {
  if (!options.of_a_master()) return {};
  const std::string names = "--stop-master-ms, --kill-master-ms, --cut-master-ms: ";
  if (masters < 2) return names + "nobody is left of a single master; raise --masters";
  const int faults = (options.stop_master_ms > 0 ? 1 : 0) + (options.kill_master_ms > 0 ? 1 : 0) +
                     (options.cut_master_ms > 0 ? 1 : 0);
  if (faults > 1) return names + "a run has one of them; leave the others out";
  return {};
}

}  // namespace fixkeep::client_sim
