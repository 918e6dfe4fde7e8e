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
           "Time for which the first worker is stopped under load (SIGSTOP)", longest_ms);
  add_time(command, "--stop-worker-at-ms", options.stop_worker_at_ms,
           "Time from the start of the load to the stop", latest_ms);
}

void add_master_fault_options(CLI::App& command, FaultOptions& options) {
  add_time(command, "--stop-master-ms", options.stop_master_ms,
           "Time for which the first master is stopped under load (SIGSTOP)", longest_ms);
  add_time(command, "--kill-master-ms", options.kill_master_ms,
           "Time from its kill under load (SIGKILL) to its start", longest_ms);
  add_time(command, "--cut-master-ms", options.cut_master_ms,
           "Time for which it is cut off from all nodes under load", longest_ms);
  add_time(command, "--master-fault-at-ms", options.master_fault_at_ms,
           "Time from the start of the load to each of these three", latest_ms);
}

std::string check_master_faults(const FaultOptions& options, std::size_t masters) {
  if (!options.of_a_master()) return {};
  const std::string names = "--stop-master-ms, --kill-master-ms, --cut-master-ms: ";
  if (masters < 2) return names + "no master would be left; raise --masters";
  const int faults = (options.stop_master_ms > 0 ? 1 : 0) + (options.kill_master_ms > 0 ? 1 : 0) +
                     (options.cut_master_ms > 0 ? 1 : 0);
  if (faults > 1) return names + "a run has one of them; leave the others out";
  return {};
}

}  // namespace fixkeep::client_sim
