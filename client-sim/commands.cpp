#include "client-sim/commands.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>

#include "client-sim/cluster.hpp"
#include "client-sim/engine_servers.hpp"
#include "client-sim/engines_command.hpp"
#include "client-sim/html_report.hpp"
#include "client-sim/load.hpp"
#include "client-sim/progress_bar.hpp"
#include "client-sim/readiness.hpp"
#include "client-sim/results.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t most_printed_runs = 12;

struct Run {
  std::optional<RunResult> result;
  int exit_code = exit_fine;  // if there is no result
};

LoadOptions load_options(const Options& options, std::vector<Endpoint> masters,
                         ProgressBar& progress) {
  LoadOptions load;
  load.masters = std::move(masters);
  load.mode = options.mode;
  load.version = options.version;
  load.arrival = options.workload.arrival;
  load.capacity = options.cluster.capacity;
  load.wait = std::chrono::milliseconds{options.wait_ms};
  load.patience = 2 * load.wait;
  load.attempts = options.attempts;
  load.keep_alive = options.keep_alive;
  load.preconnect = options.preconnect;
  load.sample_every = std::chrono::milliseconds{options.sample_ms};
  load.settle = std::chrono::milliseconds{options.settle_ms};
  load.on_progress = [&progress](const Progress& state) { progress.show(state); };
  return load;
}

RunResult make_result(const Options& options, LoadResult&& load, std::uint64_t seed) {
  RunResult run;
  run.lock = load.strategy;
  run.masters = options.workload.masters;
  run.players = options.workload.players;
  run.groups = options.workload.groups;
  run.capacity = options.cluster.capacity;
  run.arrival = std::string{to_string(options.workload.arrival)};
  run.seed = seed;
  run.curve = make_curve(load.seen);
  run.lock_stats = std::move(load.locks);
  run.verdict = judge(load.seen);
  return run;
}

// The lock servers of a comparison: each kind is started once and serves all its runs.
using LockServers = std::map<std::string, std::unique_ptr<EngineServers>>;

// Starts what `lock` needs and is not there yet. Returns what went wrong.
std::string start_servers(const std::string& lock, LockServers& servers) {
  if (!needs_servers(lock) || servers.contains(lock)) return {};
  auto started = EngineServers::start(lock);
  if (const auto* failure = std::get_if<EngineFailure>(&started)) return failure->message;
  servers.emplace(lock, std::move(std::get<std::unique_ptr<EngineServers>>(started)));
  return {};
}

// A cluster with this lock; clusters that share a server must not share their locks.
ClusterOptions cluster_options(const Options& options, const std::string& lock,
                               const LockServers& servers) {
  static int clusters = 0;
  auto made = options.cluster;
  made.id = "client-sim-" + std::to_string(::getpid()) + "-" + std::to_string(++clusters);
  made.lock = lock;
  if (const auto found = servers.find(lock); found != servers.end()) {
    made.lock_servers = found->second->addresses();
  }
  made.wait_ms = options.wait_ms;
  return made;
}

// One cluster, one load. The cluster's end is part of the judgement, so it comes before it.
Run compare_once(const Options& options, const std::string& lock, std::uint64_t seed,
                 LockServers& servers, ProgressBar& progress, std::ostream& err) {
  progress.note("starting the cluster");
  if (const auto failure = start_servers(lock, servers); !failure.empty()) {
    progress.clear();
    err << failure << '\n';
    return {.result = std::nullopt, .exit_code = exit_no_cluster};
  }
  const auto made = cluster_options(options, lock, servers);
  auto started = Cluster::start(made);
  if (const auto* failure = std::get_if<StartFailure>(&started)) {
    progress.clear();
    if (failure->interrupted) return {.result = std::nullopt, .exit_code = exit_interrupted};
    err << "The cluster could not be started: " << failure->message << '\n';
    return {.result = std::nullopt, .exit_code = exit_no_cluster};
  }
  auto& cluster = *std::get<std::unique_ptr<Cluster>>(started);
  auto workload_options = options.workload;
  workload_options.seed = seed;
  const auto workload = make_workload(workload_options);
  auto load = run_load(workload, load_options(options, cluster.masters(), progress));
  progress.note("stopping the cluster");
  const bool failed = !load.failure.empty();
  const bool interrupted = load.interrupted;
  const auto message = load.failure;
  auto result = make_result(options, std::move(load), seed);
  result.lock = lock;
  result.workers = made.workers;
  result.boot_ms = made.boot_ms;
  const bool keep = options.keep_files || (!interrupted && (failed || !result.faults().empty()));
  const auto folder = cluster.folder();
  const auto stopped = cluster.stop(keep);
  progress.clear();
  if (stopped.kept) err << "Configuration and logs are kept in " << folder.string() << '\n';
  if (interrupted) return {.result = std::nullopt, .exit_code = exit_interrupted};
  if (failed) {
    err << message << '\n';
    return {.result = std::nullopt, .exit_code = exit_no_cluster};
  }
  result.complaints = stopped.complaints;
  result.verdict.orphaned_processes = stopped.orphans;
  return {.result = std::move(result), .exit_code = exit_fine};
}

// Player ids that no earlier load has used: a player that asks again may get its old seat.
std::string fresh_prefix(std::uint64_t seed) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return "p" + std::to_string(ms) + "-" + std::to_string(seed) + "-";
}

Run load_once(const Options& options, std::uint64_t seed, ProgressBar& progress,
              std::ostream& err) {
  auto workload_options = options.workload;
  workload_options.seed = seed;
  workload_options.player_prefix = fresh_prefix(seed);
  const auto workload = make_workload(workload_options);
  auto load = run_load(workload, load_options(options, options.master_urls, progress));
  progress.clear();
  if (load.interrupted) return {.result = std::nullopt, .exit_code = exit_interrupted};
  if (!load.failure.empty()) {
    err << load.failure << '\n';
    return {.result = std::nullopt, .exit_code = exit_no_cluster};
  }
  const auto workers = load.workers;
  auto result = make_result(options, std::move(load), seed);
  result.workers = workers;
  return {.result = std::move(result), .exit_code = exit_fine};
}

std::string machine_text() {
  utsname system{};
  ::uname(&system);
  return std::to_string(std::thread::hardware_concurrency()) + " processors, " +
         std::string{system.sysname} + " " + system.release;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
  return text;
}

bool write_file(const std::string& path, const std::string& text, std::ostream& err) {
  std::ofstream file{path, std::ios::binary};
  file << text;
  file.close();
  if (file) return true;
  err << "cannot write " << path << '\n';
  return false;
}

int present(const Options& options, const std::vector<RunResult>& runs, std::ostream& out,
            std::ostream& err) {
  const bool many = runs.size() > strategies(runs).size();
  if (!many || runs.size() <= most_printed_runs) out << to_text(runs_table(runs)) << '\n';
  if (many) out << to_text(seeds_table(runs)) << '\n';
  bool fine = true;
  for (const auto& run : runs) {
    const auto name = run.lock + ", seed " + std::to_string(run.seed) + ": ";
    for (const auto& fault : run.faults()) {
      fine = false;
      out << name << fault << '\n';
    }
    for (const auto& complaint : run.complaints) out << name << complaint << '\n';
    for (const auto& [reason, count] : run.verdict.reasons) {
      out << name << count << " players failed: " << reason << '\n';
    }
  }
  int code = fine ? exit_fine : exit_verdict;
  if (!options.json_file.empty() && !write_file(options.json_file, to_json(runs), err)) {
    code = exit_usage;
  }
  if (!options.report_file.empty()) {
    const auto page = html_report(
        runs,
        {.command_line = options.command_line, .machine = machine_text(), .when = now_text()});
    if (!write_file(options.report_file, page, err)) code = exit_usage;
  }
  return code;
}

int run_all(const Options& options, std::ostream& out, std::ostream& err) {
  const bool own = options.command == Command::compare;
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  std::vector<RunResult> runs;
  LockServers servers;
  int code = exit_fine;
  for (std::uint32_t index = 0; index < options.seeds && code == exit_fine; ++index) {
    const auto seed = options.workload.seed + index;
    // Strategies take turns, so that a machine that grows slow is slow for all of them.
    const auto locks = own ? options.locks : std::vector<std::string>{"load"};
    for (const auto& lock : locks) {
      ProgressBar progress{err, terminal, lock + " seed " + std::to_string(seed)};
      auto run = own ? compare_once(options, lock, seed, servers, progress, err)
                     : load_once(options, seed, progress, err);
      code = run.exit_code;
      if (!run.result) break;
      runs.push_back(std::move(*run.result));
    }
  }
  if (runs.empty()) return code;
  const int judged = present(options, runs, out, err);
  return code != exit_fine ? code : judged;
}

int run_up(const Options& options, std::ostream& out, std::ostream& err) {
  LockServers servers;
  if (const auto failure = start_servers(options.locks.front(), servers); !failure.empty()) {
    err << failure << '\n';
    return exit_no_cluster;
  }
  const auto made = cluster_options(options, options.locks.front(), servers);
  auto started = Cluster::start(made);
  if (const auto* failure = std::get_if<StartFailure>(&started)) {
    if (failure->interrupted) return exit_fine;
    err << "The cluster could not be started: " << failure->message << '\n';
    return exit_no_cluster;
  }
  auto& cluster = *std::get<std::unique_ptr<Cluster>>(started);
  const auto& masters = cluster.masters();
  const auto url = [](const Endpoint& master) {
    return "http://" + master.host + ":" + std::to_string(master.port);
  };
  out << masters.size() << " masters and " << made.workers
      << " workers are ready (lock: " << made.lock << ").\n\n";
  std::string list;
  for (std::size_t index = 0; index < masters.size(); ++index) {
    out << "  master " << index + 1 << ", zone " << zone_name(index) << "  " << url(masters[index])
        << '\n';
    list += (index == 0 ? "" : ",") + url(masters[index]);
  }
  out << "\nAsk for a seat:\n  curl -s " << url(masters.front())
      << "/v1/match -H 'content-type: application/json' \\\n    -d '"
      << match_body({.player = "ann",
                     .mode = "duel",
                     .region = "g0",
                     .version = "1",
                     .wait_ms = options.wait_ms})
      << "'\nLoad it:\n  fixkeep-client-sim load --masters " << list
      << "\nConfiguration and logs: " << cluster.folder().string() << "\nCtrl-C ends it all.\n"
      << std::flush;
  std::vector<std::string> reported;
  while (!wait_for_signal(std::chrono::seconds{1})) {
    for (auto& name : cluster.ended()) {
      if (std::find(reported.begin(), reported.end(), name) != reported.end()) continue;
      err << name << " has ended\n";
      reported.push_back(std::move(name));
    }
  }
  out << "Stopping.\n" << std::flush;
  const auto folder = cluster.folder();
  const auto stopped = cluster.stop(false);
  if (stopped.kept) err << "Configuration and logs are kept in " << folder.string() << '\n';
  for (const auto& complaint : stopped.complaints) err << complaint << '\n';
  return exit_fine;
}

}  // namespace

int run_command(const Options& options, std::ostream& out, std::ostream& err) {
  raise_open_files();
  switch (options.command) {
    case Command::compare:
    case Command::load: return run_all(options, out, err);
    case Command::up: return run_up(options, out, err);
    case Command::engines: return run_engines(options, out, err);
  }
  return exit_usage;
}

}  // namespace fixkeep::client_sim
