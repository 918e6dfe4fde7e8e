#include "client-sim/comparison.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <ostream>

#include "client-sim/cluster/cluster.hpp"
#include "client-sim/cluster/readiness.hpp"
#include "client-sim/events_file.hpp"
#include "client-sim/incidents.hpp"
#include "client-sim/interruption.hpp"
#include "client-sim/judge/collisions.hpp"
#include "client-sim/load/event_reader.hpp"
#include "client-sim/load/load.hpp"
#include "client-sim/progress_bar.hpp"

namespace fixkeep::client_sim {

namespace {

struct Run {
  std::optional<RunResult> result;
  int exit_code = exit_fine;  // used if there is no result
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
  load.leave_after_wait = options.own_mode != nullptr;
  load.idle_connections = options.idle_connections;
  load.keep_alive = options.keep_alive;
  load.preconnect = options.preconnect;
  load.sample_every = std::chrono::milliseconds{options.sample_ms};
  load.rest = std::chrono::milliseconds{options.rest_ms};
  load.on_progress = [&progress](const Progress& state) { progress.show(state); };
  return load;
}

RunResult make_result(const Options& options, LoadResult&& load, std::uint64_t seed,
                      const JudgeOptions& judge_options = {}) {
  RunResult run;
  run.lock = load.strategy;
  run.masters = options.workload.masters;
  run.players = options.workload.players;
  run.groups = options.workload.groups;
  run.capacity = options.cluster.capacity;
  run.arrival = std::string{to_string(options.workload.arrival)};
  run.seed = seed;
  run.idle_connections = load.seen.idle_connections;
  run.curve = polled_curve(load.seen);
  run.load_ms = load.seen.load_ms;
  run.lock_stats = std::move(load.locks);
  run.verdict = judge(load.seen, judge_options);
  return run;
}

struct Setting {
  Arrival arrival = Arrival::burst;
  std::string lock;
  Distances distances;
  std::uint64_t seed = 0;
};

// Judges the run by the events of the nodes. The events have exact times, so the curve of rooms is
// made from them and not from polled lists. Looks for collisions, unless the mode has its own
// judge.
void judge_events(std::vector<events::Event> seen, events::EventTime began, RunResult& run) {
  put_in_order(seen);
  if (!run.own) run.bill = find_collisions(seen, longest_news(run.distances.value_or(Distances{})));
  auto told = std::make_shared<Told>();
  told->timeline = tell_timeline(seen, run.bill.value_or(CollisionBill{}),
                                 {.began = began, .end_ms = run.load_ms});
  told->stages = find_stages(seen);
  if (run.bill && !run.bill->collisions.empty()) {
    told->first_collision = tell_collision(seen, run.bill->collisions.front(), began);
  }
  run.curve = told->timeline.curve;
  run.told = std::move(told);
}

// Changes the priority of this process during the object's lifetime. Child processes inherit the
// change only if they are started during this lifetime. If the system does not permit the change,
// the object does nothing.
class OwnPriority {
 public:
  explicit OwnPriority(int nice) : before_(::getpriority(PRIO_PROCESS, 0)) {
    if (nice != 0) ::setpriority(PRIO_PROCESS, 0, nice);
  }
  ~OwnPriority() { ::setpriority(PRIO_PROCESS, 0, before_); }
  OwnPriority(const OwnPriority&) = delete;
  OwnPriority& operator=(const OwnPriority&) = delete;

 private:
  int before_;
};

LoadResult run_load_at(int nice, const Workload& workload, const LoadOptions& options) {
  const OwnPriority priority{nice};
  return run_load(workload, options);
}

// Returns the judge's options. A delay of the links makes the judge's window longer, because
// masters learn of another master's order later.
JudgeOptions judge_options(const Options& options, const Distances& distances) {
  JudgeOptions judging;
  judging.window_ms += longer_answers_ms(distances);
  judging.counts_rooms = options.own_mode == nullptr;
  return judging;
}

// Collects the events of all nodes. The events of a killed node were read just before the kill.
EventsRead told_by(const Cluster& cluster, const IncidentLog& incidents) {
  auto told = read_events(cluster.nodes());
  if (told.failure.empty()) told.failure = incidents.failure;
  told.events.insert(told.events.end(), incidents.events.begin(), incidents.events.end());
  return told;
}

// Runs one cluster with one load. Also stops the cluster, because the verdict includes processes
// that do not stop as they should.
Run compare_once(const Options& options, const Setting& setting, LockServers& servers,
                 EventsFile& events_file, ProgressBar& progress, std::ostream& err) {
  const auto& lock = setting.lock;
  const auto& distances = setting.distances;
  const auto seed = setting.seed;
  progress.note("starting the cluster");
  if (const auto failure = start_servers(lock, servers); !failure.empty()) {
    progress.clear();
    err << failure << '\n';
    return {.result = std::nullopt, .exit_code = exit_no_cluster};
  }
  auto made = cluster_options(options, lock, distances, servers);
  made.relay_seed = seed;
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
  const auto own = options.own_mode ? options.own_mode->make_players(workload_options) : nullptr;
  const auto requests = own ? own->requests() : make_workload(workload_options);
  auto asked = load_options(options, cluster.masters(), progress);
  asked.admin.masters = cluster.admins();
  IncidentLog incidents;
  asked.incidents = incidents_of(options.faults, cluster, incidents);
  auto load = run_load_at(options.own_nice, requests, asked);
  progress.note("stopping the cluster");
  const bool failed = !load.failure.empty();
  const bool interrupted = load.interrupted;
  const auto message = load.failure;
  const auto began = load.seen.began;
  const auto seen_players = load.seen.players;
  auto result = make_result(options, std::move(load), seed, judge_options(options, distances));
  result.lock = lock;
  result.distances = distances;
  result.workers = made.workers;
  result.boot_ms = made.boot_ms;
  result.runner = made.runner;
  result.nodes_failed = options.faults;
  auto told = told_by(cluster, incidents);
  events_file.add(progress.title(), told.events, incidents.ends);
  if (own) {
    result.own = own->judge({seen_players, told, incidents.ends, distances, options.faults,
                             made.boot_ms, options.wait_ms});
  }
  if (told.failure.empty()) {
    judge_events(std::move(told.events), began, result);
  } else if (!failed && !interrupted) {
    progress.clear();
    err << "Collisions are not counted: " << told.failure << '\n';
  }
  result.events_missing = told.failure;
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

// Returns a prefix for player ids. Each load has a new prefix, because a master that knows a
// player's id can answer with the player's old seat.
std::string fresh_prefix(std::uint64_t seed) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return fmt::format("p{}-{}-", ms, seed);
}

Run load_once(const Options& options, std::uint64_t seed, ProgressBar& progress,
              std::ostream& err) {
  if (options.ready_s > 0) {
    progress.note("waiting for the masters");
    const auto& looked_at = options.admin.masters;
    const auto state = wait_for_readiness(
        looked_at.empty() ? options.master_urls : looked_at, {.workers = 1, .warm = 0},
        std::chrono::seconds{options.ready_s}, options.admin.token);
    progress.clear();
    if (state.interrupted) return {.result = std::nullopt, .exit_code = exit_interrupted};
    if (!state.ready) {
      err << "not ready after " << options.ready_s << " s: " << state.what_is_missing << '\n';
      return {.result = std::nullopt, .exit_code = exit_no_cluster};
    }
  }
  auto workload_options = options.workload;
  workload_options.seed = seed;
  workload_options.player_prefix = fresh_prefix(seed);
  const auto workload = make_workload(workload_options);
  auto asked = load_options(options, options.master_urls, progress);
  asked.admin = options.admin;
  auto load = run_load(workload, asked);
  progress.clear();
  if (load.interrupted) return {.result = std::nullopt, .exit_code = exit_interrupted};
  if (!load.failure.empty()) {
    err << load.failure << '\n';
    return {.result = std::nullopt, .exit_code = exit_no_cluster};
  }
  const auto workers = load.workers;
  auto result = make_result(options, std::move(load), seed);
  result.workers = workers;
  result.events_missing = "load asks no node for them";
  return {.result = std::move(result), .exit_code = exit_fine};
}

// Returns the settings in the order of the runs. Strategies take turns. If the machine becomes
// slow, all strategies thus suffer in the same way.
std::vector<Setting> settings_of(const Options& options) {
  std::vector<Setting> settings;
  for (std::uint32_t index = 0; index < options.seeds; ++index) {
    const auto seed = options.workload.seed + index;
    for (const auto arrival : options.arrivals) {
      if (options.command == Command::load) {
        settings.push_back({.arrival = arrival, .lock = "load", .distances = {}, .seed = seed});
        continue;
      }
      for (const auto& distances : options.distances) {
        for (const auto& lock : options.locks) {
          settings.push_back(
              {.arrival = arrival, .lock = lock, .distances = distances, .seed = seed});
        }
      }
    }
  }
  return settings;
}

}  // namespace

std::string start_servers(const std::string& lock, LockServers& servers) {
  if (!needs_servers(lock) || servers.contains(lock)) return {};
  auto started = EngineServers::start(lock);
  if (const auto* failure = std::get_if<EngineFailure>(&started)) return failure->message;
  servers.emplace(lock, std::move(std::get<std::unique_ptr<EngineServers>>(started)));
  return {};
}

ClusterOptions cluster_options(const Options& options, const std::string& lock,
                               const Distances& distances, const LockServers& servers) {
  static int clusters = 0;
  auto made = options.cluster;
  made.id = fmt::format("client-sim-{}-{}", ::getpid(), ++clusters);
  made.lock = lock;
  made.distances = distances;
  made.wires = options.faults.cut_master_ms > 0;
  if (const auto found = servers.find(lock); found != servers.end()) {
    made.lock_servers = found->second->addresses();
  }
  made.wait_ms = options.wait_ms;
  return made;
}

int run_comparison(const Options& options, LockServers& servers, std::ostream& err,
                   std::vector<RunResult>& runs) {
  const bool own = options.command != Command::load;
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  Interruption interruption;
  EventsFile events_file{options.events_file};
  for (const auto& setting : settings_of(options)) {
    if (interruption.came()) return exit_interrupted;
    if (!events_file.good()) {
      err << "Cannot write " << options.events_file << '\n';
      return exit_usage;
    }
    const auto where = options.distances.size() > 1 ? ", " + label(setting.distances) : "";
    const auto how =
        options.arrivals.size() > 1 ? fmt::format(", {}", to_string(setting.arrival)) : "";
    ProgressBar progress{err, terminal,
                         fmt::format("{} seed {}{}{}", setting.lock, setting.seed, how, where)};
    const auto adapted = with_arrival(options, setting.arrival);
    auto run = own ? compare_once(adapted, setting, servers, events_file, progress, err)
                   : load_once(adapted, setting.seed, progress, err);
    if (!run.result) return run.exit_code;
    runs.push_back(std::move(*run.result));
  }
  return exit_fine;
}

}  // namespace fixkeep::client_sim
