#include "lab/locks/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>

#include "client-sim/comparison.hpp"
#include "client-sim/output.hpp"
#include "client-sim/progress_bar.hpp"
#include "client-sim/report/run_json.hpp"
#include "lab/locks/figures.hpp"
#include "lab/temporary_folder.hpp"

namespace fixkeep::client_sim {

namespace {

namespace fs = std::filesystem;

struct Place {
  fs::path folder;
  std::uint16_t first_port = 0;
};

void with_nodes(LockNodesOptions options, LockFigures& figures,
                const std::function<void(LockNodes&)>& measure) {
  auto started = LockNodes::start(std::move(options));
  if (auto* failure = std::get_if<std::string>(&started)) {
    figures.failure = std::move(*failure);
    return;
  }
  auto& running = *std::get<std::unique_ptr<LockNodes>>(started);
  measure(running);
  const auto failure = running.stop();
  if (figures.failure.empty()) figures.failure = failure;
}

// Runs one round of a strategy. The last round also runs the measurements that are not repeated.
void measure_once(const Options& options, const LocksOptions& bench, std::uint32_t round,
                  const Place& place, ProgressBar& progress, LockFigures& figures) {
  progress.note("starting");
  LockServers servers;
  figures.failure = start_servers(figures.lock, servers);
  if (!figures.failure.empty()) return;
  auto* server = servers.empty() ? nullptr : servers.begin()->second.get();
  LockNodesOptions nodes;
  nodes.strategy = figures.lock;
  if (server != nullptr) nodes.servers = server->addresses();
  nodes.masters = options.cluster.masters;
  nodes.lease_ms = bench.lease_ms;
  nodes.first_port = place.first_port;
  nodes.cluster = fmt::format("locks-{}-{}", ::getpid(), round);
  nodes.folder = place.folder;
  nodes.tls = bench.tls;
  auto measured = bench.measured;
  measured.seed = options.workload.seed;
  const Note note = [&progress](const std::string& what) { progress.note(what); };
  // Without a lock no node waits for a holder: there is nothing to measure after a fault.
  const bool last = round + 1 == bench.rounds && promises_no_duplicates(figures.lock);
  if (last && measured.kills > 0) {
    auto relayed = nodes;
    relayed.relayed = true;
    relayed.cluster += "-cut";
    with_nodes(std::move(relayed), figures,
               [&](LockNodes& running) { measure_ends(running, measured, note, figures); });
    if (!figures.failure.empty()) return;
  }
  with_nodes(std::move(nodes), figures, [&](LockNodes& running) {
    measure_round(running, measured, round, note, figures);
    if (last && figures.failure.empty()) measure_ends(running, measured, note, figures);
    if (last && figures.failure.empty()) measure_leaders(running, server, measured, note, figures);
  });
}

std::vector<LockFigures> measure_all(const Options& options, const LocksOptions& bench,
                                     const Place& place, std::ostream& err) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  std::vector<LockFigures> all;
  for (const auto& lock : options.locks) {
    all.emplace_back();
    all.back().lock = lock;
  }
  for (std::uint32_t round = 0; round < bench.rounds; ++round) {
    for (auto& figures : all) {
      if (!figures.failure.empty()) continue;
      ProgressBar progress{err, terminal, fmt::format("{} round {}", figures.lock, round + 1)};
      measure_once(options, bench, round, place, progress, figures);
      progress.clear();
      if (!figures.failure.empty()) err << figures.lock << ": " << figures.failure << '\n';
    }
  }
  return all;
}

int judge(const std::vector<LockFigures>& all, const std::vector<RunResult>& bursts,
          std::ostream& out) {
  int code = exit_fine;
  for (const auto& figures : all) {
    if (!figures.failure.empty()) {
      out << figures.lock << " was not measured to the end: " << figures.failure << '\n';
      code = exit_no_cluster;
    }
  }
  for (const auto& figures : all) {
    for (const auto& fault : faults_of(figures)) {
      out << figures.lock << ": " << fault << '\n';
      code = exit_verdict;
    }
  }
  for (const auto& run : bursts) {
    for (const auto& fault : run.faults()) {
      out << run.lock << ", seed " << run.seed << ": " << fault << '\n';
      code = exit_verdict;
    }
  }
  return code;
}

void print_tables(const std::vector<LockFigures>& all, const std::vector<RunResult>& bursts,
                  std::size_t masters, std::ostream& out) {
  out << "Promises: two holders at once, the burst, and the time without a holder after it is "
         "killed, vanishes or is cut off\n"
      << to_text(lock_failure_table(all, bursts)) << faults_explained
      << "\nContended: every master wants the same key, then one of many\n"
      << to_text(lock_contention_table(all)) << "\nAlone: acquire and release of one of " << masters
      << " masters, beside a framed round trip to one peer and to all of them\n"
      << to_text(lock_cost_table(all)) << '\n';
}

// The report's facts: [[name, value], …].
nlohmann::ordered_json facts_of(const Options& options, const LocksOptions& bench) {
  const auto& measured = bench.measured;
  auto facts = nlohmann::ordered_json::array();
  const auto add = [&facts](const char* name, const std::string& value) {
    facts.push_back(nlohmann::ordered_json::array({name, value}));
  };
  add("masters", std::to_string(options.cluster.masters));
  add("rounds", std::to_string(bench.rounds));
  add("acquisitions of a round", std::to_string(measured.count));
  add("contended", format_ms(measured.seconds) + " s a round");
  add("many keys", fmt::format("{}, {} at a time a master", measured.keys, measured.in_flight));
  add("kills, holders that vanish or are cut off, dead leaders", std::to_string(measured.kills));
  add("lease", fmt::format("{} ms", bench.lease_ms));
  if (bench.burst) {
    add("burst", fmt::format("{} players, {} seeds", options.workload.players, options.seeds));
  }
  return facts;
}

}  // namespace

int run_locks(const Options& options, const LocksOptions& bench, std::ostream& out,
              std::ostream& err) {
  const TemporaryFolder folder{"fixkeep-locks"};
  PortSlots slots;
  const auto ports = slots.take(1);
  if (folder.path().empty() || !ports) {
    err << "There is no temporary folder, or there are no free loopback ports.\n";
    return exit_no_cluster;
  }
  const auto all = measure_all(options, bench, {folder.path(), ports->first}, err);
  std::vector<RunResult> bursts;
  int code = exit_fine;
  if (bench.burst) {
    LockServers servers;
    code = run_comparison(options, servers, err, bursts);
    if (code == exit_interrupted) return code;
  }
  print_tables(all, bursts, options.cluster.masters, out);
  const int judged = judge(all, bursts, out);
  if (judged != exit_fine && code != exit_verdict) code = judged;
  auto origin = report_origin(options.command_line);
  origin["facts"] = facts_of(options, bench);
  if (!write_report(to_json(origin, all, bursts), options.json_file, options.report_file, err)) {
    code = exit_usage;
  }
  return code;
}

}  // namespace fixkeep::client_sim
