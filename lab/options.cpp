#include "lab/options.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "client-sim/cluster/lock_servers.hpp"
#include "common/base/lock_strategies.hpp"
#include "lab/pools/rules_option.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr const char* examples =
    "Examples:\n"
    "  fixkeep-lab race --link-delay-ms 80\n"
    "  fixkeep-lab locks --locks all --report locks.html\n"
    "  fixkeep-lab lock --hold-ms 2000 --seconds 20 -- node my_lock.js\n"
    "  fixkeep-lab theory --report theory.html\n"
    "  fixkeep-lab pools --rules configs/matching/duel.json --rate 40 --duration-s 20\n"
    "  fixkeep-lab replay configs/matching/duel.json --report replay.html\n"
    "  fixkeep-lab engines --of redis,etcd\n"
    "Exit codes: 0 fine; 1 two holders of a lock that promises one, or a run with\n"
    "faults as in fixkeep-client-sim; 2 wrong usage; 3 the cluster could not be started.";

struct Commands {
  CLI::App* race = nullptr;
  CLI::App* locks = nullptr;
  CLI::App* lock = nullptr;
  CLI::App* theory = nullptr;
  CLI::App* pools = nullptr;
  CLI::App* replay = nullptr;
  CLI::App* engines = nullptr;
};

Commands add_commands(CLI::App& app, LabOptions& options, RawOptions& raw, std::string& rules) {
  Commands commands;
  commands.race = app.add_subcommand(
      "race", "A page with two clusters under the same players and the same faults");
  commands.race->add_option("--lock", raw.locks, "Lock of the right cluster")
      ->default_str("multiphase");
  add_race_options(*commands.race, options.race);
  commands.locks = app.add_subcommand(
      "locks", "Measure each lock alone and contended, with its holder killed, and under a burst");
  commands.locks->add_option("--locks", raw.locks, "Strategies with commas between, or all")
      ->default_str("all");
  add_cluster_options(*commands.locks, options.run);
  add_load_options(*commands.locks, options.run);
  add_locks_options(*commands.locks, options.bench);
  commands.lock = app.add_subcommand(
      "lock", "Try a lock of your own: any program that speaks JSON lines (docs/own-lock.md)");
  add_own_lock_options(*commands.lock, options.own_lock);
  commands.theory = app.add_subcommand(
      "theory", "Count messages and flights of each lock in simulated time, beside its paper");
  commands.theory->add_option("--locks", raw.locks, "Strategies of the mesh, or all")
      ->default_str("all");
  add_theory_options(*commands.theory, options.theory);
  commands.pools = app.add_subcommand(
      "pools",
      "Compare locks under a mode with widening rules, with a judge and a replay of its own");
  add_compare_options(*commands.pools, options.run, raw);
  add_rules_option(*commands.pools, rules);
  add_master_fault_options(*commands.pools, options.run.faults);
  commands.replay = app.add_subcommand(
      "replay", "Try widening rules on recorded or generated arrivals, in simulated time");
  add_replay_options(*commands.replay, options.replay);
  for (auto* command : {commands.lock, commands.theory, commands.replay}) {
    command->add_option("--json", options.run.json_file, "Write the figures to this file");
    command->add_option("--report", options.run.report_file, "Write an HTML page to this file");
  }
  commands.engines = app.add_subcommand("engines",
                                        "Start the servers of redis, redlock, etcd, zookeeper, "
                                        "postgres or kubernetes-lease and keep them until Ctrl-C");
  commands.engines->add_option("--of", raw.locks, "Strategies with commas between, or all")
      ->default_str("all");
  for (auto* command : {commands.race, commands.locks, commands.lock, commands.theory,
                        commands.pools, commands.replay, commands.engines}) {
    command->footer(examples);
  }
  return commands;
}

std::string complete_race(LabOptions& options, const RawOptions& raw, const CLI::App& command) {
  if (auto mistake = complete_race_rules(options.race, command); !mistake.empty()) return mistake;
  complete_race_options(options.race);
  options.run.cluster = options.race.cluster;
  const auto locks = command.count("--lock") > 0 ? raw.locks : "multiphase";
  if (auto mistake = choose_locks(locks, known_locks(), "--lock", options.run.locks);
      !mistake.empty()) {
    return mistake;
  }
  if (options.run.locks.size() != 1) return "--lock: give one lock";
  std::vector<std::string> against;
  if (auto mistake = choose_locks(options.race.against, known_locks(), "--against", against);
      !mistake.empty()) {
    return mistake;
  }
  if (against.size() != 1) return "--against: give one lock";
  options.race.settings.locks = {against.front(), options.run.locks.front()};
  return {};
}

std::string complete_locks(LabOptions& options, RawOptions raw, const CLI::App& command) {
  auto& run = options.run;
  if (command.count("--locks") == 0) raw.locks = "all";
  if (options.bench.quick) {
    make_quick(options.bench, command);
    if (command.count("--players") == 0) run.workload.players = 64;
    if (command.count("--boot-ms") == 0) run.cluster.boot_ms = 100;
  }
  if (auto mistake = complete_options(run, raw); !mistake.empty()) return mistake;
  if (run.arrivals.size() > 1) {
    return "--arrival: locks has one; fixkeep-client-sim compare runs with several";
  }
  return run.cluster.masters < 2 ? "--masters: give two or more, to contend for the lock" : "";
}

std::string complete_theory(LabOptions& options, const RawOptions& raw, const CLI::App& command) {
  std::vector<std::string> mesh;
  for (const auto& each : lock::strategies) {
    if (each.family == lock::Family::mesh) mesh.emplace_back(each.name);
  }
  return choose_locks(command.count("--locks") > 0 ? raw.locks : "all", mesh, "--locks",
                      options.run.locks);
}

std::string complete_pools(LabOptions& options, const RawOptions& raw, const std::string& rules,
                           const CLI::App& command) {
  if (auto mistake = complete_rules(options.run, rules, command); !mistake.empty()) return mistake;
  if (auto mistake = check_master_faults(options.run.faults, options.run.cluster.masters);
      !mistake.empty()) {
    return mistake;
  }
  return complete_options(options.run, raw);
}

std::string complete_engines(LabOptions& options, const RawOptions& raw, const CLI::App& command) {
  std::vector<std::string> servers;
  for (const auto& name : known_locks()) {
    if (needs_servers(name)) servers.push_back(name);
  }
  return choose_locks(command.count("--of") > 0 ? raw.locks : "all", servers, "--of",
                      options.run.locks);
}

}  // namespace

std::variant<LabOptions, ExitCode> parse_lab_options(int argc, const char* const* argv,
                                                     std::ostream& out, std::ostream& err) {
  CLI::App app{"The laboratory of FIX Keep: locks and rules, measured and compared", "fixkeep-lab"};
  app.option_defaults()->always_capture_default();
  app.require_subcommand(1);
  app.footer(examples);
  LabOptions options;
  RawOptions raw;
  std::string rules;
  const auto commands = add_commands(app, options, raw, rules);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return refuse(app, error, out, err); }
  options.run.command_line = join_arguments("fixkeep-lab", argc, argv);
  std::string mistake;
  if (commands.race->parsed()) {
    mistake = complete_race(options, raw, *commands.race);
  } else if (commands.locks->parsed()) {
    options.command = LabCommand::locks;
    mistake = complete_locks(options, raw, *commands.locks);
  } else if (commands.lock->parsed()) {
    options.command = LabCommand::lock;
    mistake = complete_own_lock(options.own_lock);
  } else if (commands.theory->parsed()) {
    options.command = LabCommand::theory;
    mistake = complete_theory(options, raw, *commands.theory);
  } else if (commands.pools->parsed()) {
    options.command = LabCommand::pools;
    mistake = complete_pools(options, raw, rules, *commands.pools);
  } else if (commands.replay->parsed()) {
    options.command = LabCommand::replay;
  } else {
    options.command = LabCommand::engines;
    mistake = complete_engines(options, raw, *commands.engines);
  }
  if (!mistake.empty()) return refuse(mistake, err);
  return options;
}

}  // namespace fixkeep::client_sim
