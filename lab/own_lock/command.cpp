#include "lab/own_lock/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <ostream>

#include "client-sim/comparison.hpp"
#include "client-sim/output.hpp"
#include "client-sim/progress_bar.hpp"
#include "client-sim/report/run_json.hpp"
#include "common/process/program.hpp"
#include "lab/own_lock/figures.hpp"
#include "lab/temporary_folder.hpp"

namespace fixkeep::client_sim {
namespace {

using own_lock::Fault;
using own_lock::TrialResult;
using std::chrono::milliseconds;

own_lock::TrialOptions trial_options(const OwnLockOptions& lock, Fault fault, std::uint64_t seed,
                                     const std::vector<std::string>& servers) {
  return {.nodes = lock.nodes,
          .keys = lock.keys,
          .fault = fault,
          .length = milliseconds{static_cast<std::int64_t>(lock.seconds * 1000)},
          .hold = milliseconds{lock.hold_ms},
          .pause = milliseconds{lock.pause_ms},
          .outage = milliseconds{lock.outage_ms},
          .delay = milliseconds{lock.delay_ms},
          .seed = seed,
          .servers = servers};
}

std::string history_of(const std::vector<TrialResult>& trials) {
  std::string text;
  for (const TrialResult& trial : trials) {
    for (const auto& event : trial.events) {
      nlohmann::ordered_json line{{"fault", to_string(trial.fault)}, {"seed", trial.seed}};
      line.update(event);
      text += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    }
  }
  return text;
}

nlohmann::ordered_json facts_of(const OwnLockOptions& lock) {
  auto facts = nlohmann::ordered_json::array();
  const auto add = [&facts](const char* name, const std::string& value) {
    facts.push_back(nlohmann::ordered_json::array({name, value}));
  };
  add("nodes", std::to_string(lock.nodes));
  add("keys", std::to_string(lock.keys));
  add("hold", fmt::format("{} ms", lock.hold_ms));
  add("trials of each kind", fmt::format("{}, {} s each", lock.rounds, lock.seconds));
  add("outage", fmt::format("{} ms", lock.outage_ms));
  if (!lock.servers.empty()) add("servers", lock.servers);
  return facts;
}

// Returns false if a trial could not go on, or if the user interrupted the trial.
bool run_trials(const OwnLockOptions& lock, const std::vector<std::string>& command,
                const std::vector<std::string>& servers, const std::filesystem::path& folder,
                std::ostream& err, std::vector<TrialResult>& trials) {
  Interruption interruption;
  std::vector<Fault> kinds{Fault::none};
  kinds.insert(kinds.end(), lock.faults.begin(), lock.faults.end());
  for (const Fault fault : kinds) {
    for (std::uint32_t round = 0; round < lock.rounds; ++round) {
      const bool no_messages = !trials.empty() && trials.front().figures.messages == 0;
      if (no_messages && (fault == Fault::delay || fault == Fault::cut)) {
        if (round == 0) {
          err << fmt::format("The nodes send no messages to each other: no trial \"{}\".\n",
                             to_string(fault));
        }
        continue;
      }
      ProgressBar progress{err, ::isatty(STDERR_FILENO) == 1, lock.name};
      progress.note(fmt::format("fault {}, round {}", to_string(fault), round + 1));
      trials.push_back(run_trial(trial_options(lock, fault, lock.seed + round, servers), command,
                                 folder, interruption));
      progress.clear();
      const TrialResult& last = trials.back();
      if (last.strange.count > 0) {
        err << fmt::format("{} lines of {} were not understood; the first is from {}\n",
                           last.strange.count, lock.name, last.strange.first);
      }
      if (last.errors.count > 0) {
        err << fmt::format("{} answers of {} were errors; the first is from {}\n",
                           last.errors.count, lock.name, last.errors.first);
      }
      if (last.interrupted) return false;
      if (last.failure.empty()) continue;
      err << fmt::format("{}, fault {}: {}\n", lock.name, to_string(fault), last.failure);
      return false;
    }
  }
  return true;
}

// Appends the locks of an earlier report. Returns false if the file is not a report of this
// command.
bool read_earlier(const std::string& path, nlohmann::ordered_json& locks, std::ostream& err) {
  std::ifstream file{path};
  const auto report = nlohmann::ordered_json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!report.is_object() || !report.value("own_locks", nlohmann::ordered_json{}).is_array()) {
    err << fmt::format("--with: {} is no JSON report of fixkeep-lab lock\n", path);
    return false;
  }
  for (const auto& each : report["own_locks"]) locks.push_back(each);
  return true;
}

int print(const OwnLockOptions& lock, const std::vector<own_lock::Row>& rows, std::ostream& out) {
  out << fmt::format("{}: {} nodes, holds of {} ms\n\n", lock.name, lock.nodes, lock.hold_ms)
      << to_text(table_of(rows)) << '\n';
  for (const std::string& remark : remarks_of(rows)) out << remark << '\n';
  const std::vector<std::string> faults = own_lock::faults_of(rows);
  for (const std::string& fault : faults) out << "FAULT " << fault << '\n';
  if (faults.empty()) out << "no fault found\n";
  return faults.empty() ? exit_fine : exit_verdict;
}

}  // namespace

int run_own_lock(const Options& options, const OwnLockOptions& lock, std::ostream& out,
                 std::ostream& err) {
  auto locks = nlohmann::ordered_json::array();
  for (const std::string& file : lock.earlier_reports) {
    if (!read_earlier(file, locks, err)) return exit_usage;
  }
  const TemporaryFolder folder{"fixkeep-lock"};
  if (folder.path().empty()) {
    err << "There is no temporary folder.\n";
    return exit_no_cluster;
  }
  std::vector<std::string> command = lock.program;
  const auto found = process::find_program(command.front(), process::program_folders());
  if (found.path.empty()) {
    err << fmt::format("{}: {}\n", command.front(), found.problem);
    return exit_usage;
  }
  command.front() = found.path;
  LockServers running;
  std::vector<std::string> servers;
  if (!lock.servers.empty()) {
    if (const auto failure = start_servers(lock.servers, running); !failure.empty()) {
      err << failure << '\n';
      return exit_no_cluster;
    }
    servers = running.begin()->second->addresses();
  }
  std::vector<TrialResult> trials;
  const bool whole = run_trials(lock, command, servers, folder.path(), err, trials);
  if (!whole && trials.back().interrupted) return exit_interrupted;
  if (!whole) return exit_no_cluster;
  const auto rows = own_lock::rows_of(trials);
  const int verdict = print(lock, rows, out);
  nlohmann::ordered_json judged{{"name", lock.name}, {"rows", json_of(rows)}};
  judged["faults"] = own_lock::faults_of(rows);
  judged["remarks"] = own_lock::remarks_of(rows);
  auto report = report_origin(options.command_line);
  report["facts"] = facts_of(lock);
  report["own_locks"] = std::move(locks);
  report["own_locks"].push_back(std::move(judged));
  const bool history =
      lock.history_file.empty() || write_file(lock.history_file, history_of(trials), err);
  if (!history || !write_report(report.dump(1), options.json_file, options.report_file, err)) {
    return exit_usage;
  }
  return verdict;
}

}  // namespace fixkeep::client_sim
