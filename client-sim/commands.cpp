#include "client-sim/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>

#include "client-sim/cluster/cluster.hpp"
#include "client-sim/comparison.hpp"
#include "client-sim/descriptors.hpp"
#include "client-sim/interruption.hpp"
#include "client-sim/output.hpp"
#include "client-sim/report/by_setting.hpp"
#include "client-sim/report/run_json.hpp"
#include "client-sim/report/run_tables.hpp"
#include "client-sim/report/stage_table.hpp"
#include "common/process/self.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t most_printed_runs = 12;

// Returns the setting of the run, for example ", burst, 20 ms one way". Empty if there is only one
// setting.
std::string where_of(const RunResult& run, const std::vector<SettingGroup>& groups) {
  const auto own = by_setting({run});
  const auto title = title_of(own.front(), groups);
  return title.empty() ? title : ", " + title;
}

std::string tables_of(const Options& options, const std::vector<RunResult>& runs) {
  const auto groups = by_setting(runs);
  const bool many = has_repeated_runs(groups);
  std::string text;
  if (!many || runs.size() <= most_printed_runs) {
    text += to_text(table_by_setting(groups, runs_table)) + '\n';
  }
  if (many) text += to_text(table_by_setting(groups, seeds_table)) + '\n';
  const auto rates = table_by_setting(groups, rates_table);
  if (rates.size() > 1) text += to_text(rates) + '\n';
  if (options.stages) text += to_text(table_by_setting(groups, stages_table)) + '\n';
  if (std::any_of(runs.begin(), runs.end(),
                  [](const RunResult& run) { return !run.bill.has_value(); })) {
    text +=
        "–: not known. Collisions and wasted room-seconds are told by the events of all nodes, "
        "which compare reads and load does not.\n";
  }
  return text;
}

int run_all(const Options& options, std::ostream& out, std::ostream& err) {
  std::vector<RunResult> runs;
  LockServers servers;
  const int code = run_comparison(options, servers, err, runs);
  if (runs.empty()) return code;
  const int judged = present_runs(options, runs, tables_of(options, runs), out, err);
  return code != exit_fine ? code : judged;
}

int run_up(const Options& options, std::ostream& out, std::ostream& err) {
  Interruption interruption;
  LockServers servers;
  if (const auto failure = start_servers(options.locks.front(), servers); !failure.empty()) {
    err << failure << '\n';
    return exit_no_cluster;
  }
  auto made = cluster_options(options, options.locks.front(), options.distances.front(), servers);
  made.usual_ports = true;
  auto started = Cluster::start(made);
  if (const auto* failure = std::get_if<StartFailure>(&started)) {
    if (failure->interrupted) return exit_fine;
    err << "The cluster could not be started: " << failure->message << '\n';
    return exit_no_cluster;
  }
  auto& cluster = *std::get<std::unique_ptr<Cluster>>(started);
  const auto& masters = cluster.masters();
  const auto url = [](const Endpoint& master) { return "http://" + to_string(master); };
  out << masters.size() << " masters and " << made.workers
      << " workers are ready (lock: " << made.lock
      << (made.runner == "process" ? "" : ", rooms are containers") << ").\n\n";
  std::string list;
  std::string admin_list;
  for (std::size_t index = 0; index < masters.size(); ++index) {
    out << "  master " << index + 1 << ", zone " << zone_name(made.distances, index) << "  "
        << url(masters[index]) << "  for operators " << url(cluster.admins()[index]) << '\n';
    list += (index == 0 ? "" : ",") + url(masters[index]);
    admin_list += (index == 0 ? "" : ",") + url(cluster.admins()[index]);
  }
  const auto nodes = cluster.nodes();  // listeners for operators, masters first
  for (std::size_t index = masters.size(); index < nodes.size(); ++index) {
    const std::size_t worker = index - masters.size();
    out << "  worker " << worker + 1 << ", zone " << zone_name(made.distances, worker)
        << "  for operators " << url(nodes[index]) << '\n';
  }
  out << "\nLook at it in a browser: " << url(cluster.admins().front())
      << "/\nIt needs no token: every program on this machine is an operator of it."
      << "\nAsk for a seat:\n  curl -s " << url(masters.front())
      << "/v1/match -H 'content-type: application/json' \\\n    -d '"
      << match_body({.player = "ann",
                     .mode = "duel",
                     .region = "g0",
                     .version = "1",
                     .wait_ms = options.wait_ms})
      << "'\nLoad it:\n  fixkeep-client-sim load --masters " << list << " \\\n    --admin "
      << admin_list << "\nConfiguration and logs: " << cluster.folder().string()
      << "\nCtrl-C ends it all.\n"
      << std::flush;
  std::vector<std::string> reported;
  while (!interruption.wait(std::chrono::seconds{1})) {
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

int present_runs(const Options& options, const std::vector<RunResult>& runs,
                 const std::string& tables, std::ostream& out, std::ostream& err) {
  out << tables;
  const auto groups = by_setting(runs);
  bool fine = true;
  for (const auto& run : runs) {
    const auto name = fmt::format("{}, seed {}{}: ", run.lock, run.seed, where_of(run, groups));
    for (const auto& fault : run.faults()) {
      fine = false;
      out << name << fault << '\n';
    }
    for (const auto& warning : run.warnings()) out << name << "warning: " << warning << '\n';
    for (const auto& complaint : run.complaints) out << name << complaint << '\n';
    for (const auto& [reason, count] : run.verdict.reasons) {
      out << name << count << " players failed: " << reason << '\n';
    }
  }
  auto origin = report_origin(options.command_line);
  if (options.own_mode) origin["rules"] = options.own_mode->file();
  if (!write_report(to_json(origin, runs), options.json_file, options.report_file, err)) {
    return exit_usage;
  }
  return fine ? exit_fine : exit_verdict;
}

int run_command(const Options& options, std::ostream& out, std::ostream& err) {
  process::raise_descriptor_limit();
  if (options.command == Command::up) return run_up(options, out, err);
  if (const auto mistake = make_room_for(options); !mistake.empty()) {
    err << mistake << '\n';
    return exit_usage;
  }
  return run_all(options, out, err);
}

}  // namespace fixkeep::client_sim
