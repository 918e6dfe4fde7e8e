#include "lab/own_lock/options.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <sstream>

namespace fixkeep::client_sim {

using own_lock::Fault;

void add_own_lock_options(CLI::App& command, OwnLockOptions& options) {
  command.positionals_at_end();
  command
      .add_option("program", options.program,
                  "Program of one node, with its arguments; put -- before it")
      ->required()
      ->default_str("");
  command.add_option("--name", options.name, "Name in tables (default: the program's file name)");
  command
      .add_option("--servers", options.servers,
                  "Start these servers; \"init\" passes their addresses to the nodes")
      ->check(
          CLI::IsMember({"redis", "redlock", "etcd", "zookeeper", "postgres", "kubernetes-lease"}));
  command.add_option("--faults", options.fault_names,
                     "Trials after the one without a fault: delay, stop, kill, cut, with commas "
                     "between, or none");
  command.add_option("--nodes", options.nodes, "Processes of the program")->check(CLI::Range(2, 9));
  command.add_option("--keys", options.keys, "Keys for which all nodes contend")
      ->check(CLI::Range(1, 100));
  command.add_option("--rounds", options.rounds, "Trials of each kind, with seeds that follow")
      ->check(CLI::Range(1, 100));
  command.add_option("--seconds", options.seconds, "Length of a trial")
      ->check(CLI::Range(0.5, 600.0));
  command.add_option("--hold-ms", options.hold_ms, "Time for which a node holds a key")
      ->check(CLI::Range(1, 60'000));
  command.add_option("--pause-ms", options.pause_ms, "Longest pause of a node after a hold")
      ->check(CLI::Range(0, 60'000));
  command
      .add_option("--outage-ms", options.outage_ms,
                  "Time until a stopped node continues, a killed one starts, a cut heals")
      ->check(CLI::Range(10, 60'000));
  command
      .add_option("--delay-ms", options.delay_ms,
                  "Longest delay of a message between nodes in the trial \"delay\"")
      ->check(CLI::Range(1, 10'000));
  command.add_option("--seed", options.seed, "Seed of the first trial");
  command
      .add_option("--with", options.earlier_reports,
                  "Show the locks of this earlier JSON report too; may be repeated")
      ->allow_extra_args(false)
      ->default_str("");
  command.add_option("--history", options.history_file,
                     "Write all events to this file, one JSON object a line");
}

std::string complete_own_lock(OwnLockOptions& options) {
  if (options.name.empty()) {
    const std::filesystem::path last{options.program.back()};
    options.name = last.filename().string();
  }
  if (options.fault_names == "none") return {};
  std::istringstream names{options.fault_names};
  for (std::string name; std::getline(names, name, ',');) {
    constexpr std::array all{Fault::delay, Fault::stop, Fault::kill, Fault::cut};
    const auto fault = std::ranges::find(all, name, [](Fault each) { return to_string(each); });
    if (fault == all.end()) {
      return "--faults: there is no fault \"" + name +
             "\"; there are delay, stop, kill, cut and none";
    }
    options.faults.push_back(*fault);
  }
  return {};
}

}  // namespace fixkeep::client_sim
