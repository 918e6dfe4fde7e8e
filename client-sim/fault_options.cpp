#include "client-sim/fault_options.hpp"

#include <CLI/CLI.hpp>

namespace fixkeep::client_sim {

void add_fault_options(CLI::App& command, FaultOptions& options) {
  const auto add = [&command](const char* name, std::uint32_t& value, const char* text, int most) {
    return command.add_option(name, value, text)->check(CLI::Range(0, most));
  };
  constexpr int longest = 60'000;
  constexpr int latest = 600'000;
  add("--stop-worker-ms", options.stop_worker_ms,
      "The first worker is stopped under load (SIGSTOP) and goes on after so long", longest);
  add("--stop-worker-at-ms", options.stop_worker_at_ms, "So long after the load has begun", latest)
      ->capture_default_str();
  add("--stop-master-ms", options.stop_master_ms,
      "With --rules: the first master is stopped under load (SIGSTOP) and goes on after so long",
      longest);
  add("--kill-master-ms", options.kill_master_ms,
      "With --rules: it is killed under load (SIGKILL) and started again after so long", longest);
  add("--cut-master-ms", options.cut_master_ms,
      "With --rules: no other node reaches it under load, nor it any, for so long", longest);
  add("--master-fault-at-ms", options.master_fault_at_ms,
      "So long after the load has begun, for each of these three", latest)
      ->capture_default_str();
}

std::string check_faults(const FaultOptions& options, bool ruled, std::size_t masters) {
  if (!options.of_a_master()) return {};
  const std::string names = "--stop-master-ms, --kill-master-ms, --cut-master-ms: ";
  if (!ruled) return names + "only runs with --rules are judged under faults of masters; add it";
  if (masters < 2) return names + "nobody is left of a single master; raise --masters";
  const int faults = (options.stop_master_ms > 0 ? 1 : 0) + (options.kill_master_ms > 0 ? 1 : 0) +
                     (options.cut_master_ms > 0 ? 1 : 0);
  if (faults > 1) return names + "a run has one of them; leave the others out";
  return {};
}

}  // namespace fixkeep::client_sim
