#include "client-sim/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "client-sim/cluster/lock_servers.hpp"
#include "common/base/lock_strategies.hpp"
#include "common/config/secret_text.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr const char* examples =
    "Examples:\n"
    "  fixkeep-client-sim compare --locks none,multiphase --players 256 --groups 4\n"
    "  fixkeep-client-sim compare --arrival churn --rate 50 --duration-s 20 --churn-stay-ms 3000\n"
    "  fixkeep-client-sim compare --seeds 20 --json runs.json --report report.html\n"
    "  fixkeep-client-sim compare --locks none,multiphase,etcd --link-delay-ms 0,2,20,80\n"
    "  fixkeep-client-sim load --masters http://127.0.0.1:8101,http://127.0.0.1:8102\n"
    "  fixkeep-client-sim up --masters 3 --workers 6\n"
    "The race, replays, and measurements of locks and pools: fixkeep-lab --help\n"
    "Exit codes: 0 fine; 1 duplicates in spite of a lock, or seats overbooked, leaked\n"
    "or not kept, or requests lost; 2 wrong usage; 3 the cluster could not be started or reached.";

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

void add_cluster_options(CLI::App& command, Options& options) {
  auto& cluster = options.cluster;
  command.add_option("--masters", cluster.masters, "Masters to start")->check(CLI::Range(1, 9));
  command.add_option("--workers", cluster.workers, "Workers to start")->check(CLI::Range(1, 40));
  command.add_option("--capacity", cluster.capacity, "Seats of a room")->check(CLI::Range(1, 1000));
  command.add_option("--boot-ms", cluster.boot_ms, "Time that a game process takes to boot")
      ->check(CLI::Range(0, 60'000));
  command.add_option("--warm", cluster.warm, "Rooms that are kept ready before a group needs them")
      ->check(CLI::Range(0, 256));
  command
      .add_option("--reservation-ms", cluster.reservation_ms, "Time for which seats are reserved")
      ->check(CLI::Range(100, 600'000));
  command.add_option("--close-empty-ms", options.arrival.close_empty_ms,
                     "Time after which empty rooms close (60000; with churn 2000)");
  command
      .add_option("--room-limit", options.arrival.room_limit, "Most rooms of one worker (generous)")
      ->check(CLI::Range(1, 5000));
  command.add_option("--log-level", cluster.log_level, "Log level of masters and workers")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
}

void add_load_options(CLI::App& command, Options& options) {
  auto& workload = options.workload;
  command.add_option("--players", workload.players, "Players that want a seat")
      ->check(CLI::Range(std::size_t{1}, most_players));
  command.add_option("--groups", workload.groups, "Groups that they belong to")
      ->check(CLI::Range(std::size_t{1}, most_groups));
  command.add_option("--zipf", workload.zipf, "Group k has weight 1/k^S; 0: all the same size")
      ->check(CLI::Range(0.0, 10.0));
  add_arrival_options(command, options.arrival);
  command.add_option("--rate", workload.rate, "Players a second, for poisson and churn")
      ->check(CLI::Range(0.01, 100'000.0));
  command.add_option("--seed", workload.seed, "Decides order, masters and times");
  command.add_option("--seeds", options.seeds, "Number of runs, with seeds from --seed on")
      ->check(CLI::Range(1, 1000));
  command.add_option("--wait-ms", options.wait_ms, "wait_ms of each request")
      ->check(CLI::Range(1, 600'000));
  command.add_option("--attempts", options.attempts, "Requests of a player before it gives up")
      ->check(CLI::Range(1, 100));
  command.add_option("--sample-ms", options.sample_ms, "Time between lists of rooms")
      ->check(CLI::Range(10, 60'000));
  command
      .add_option("--rest-ms", options.rest_ms,
                  "Longest wait until the masters' seats agree with the players")
      ->check(CLI::Range(0, 600'000));
  command
      .add_option("--idle-connections", options.idle_connections,
                  "Open connections to the masters beside the players' own")
      ->check(CLI::Range(0, 100'000));
  command.add_flag("--keep-alive", options.keep_alive, "Players share HTTP connections");
  command.add_flag("--preconnect,!--no-preconnect", options.preconnect,
                   "Burst: first connections are opened beforehand (default)");
  command.add_option("--json", options.json_file, "Write the runs to this file");
  command.add_option("--report", options.report_file, "Write an HTML page to this file");
  command.add_flag("--stages", options.stages,
                   "Print where the time of the matches went, stage by stage");
}

namespace {

void add_runner_option(CLI::App& command, Options& options) {
  command
      .add_option("--runner", options.cluster.runner,
                  "Rooms are processes, or containers of this machine's Docker or Podman")
      ->check(CLI::IsMember({"process", "docker", "podman"}));
}

}  // namespace

void add_compare_options(CLI::App& command, Options& options, RawOptions& raw) {
  command.add_option("--locks", raw.locks, "Strategies with commas between, or all");
  add_cluster_options(command, options);
  add_runner_option(command, options);
  add_distance_options(command, raw.distances);
  add_load_options(command, options);
  add_worker_fault_options(command, options.faults);
  command
      .add_option("--own-nice", options.own_nice,
                  "Priority of client-sim alone under load: -10 on a busy machine keeps it from "
                  "being late itself (as root; 0: as it is)")
      ->check(CLI::Range(-20, 19));
  command.add_flag("--keep-files", options.keep_files, "Keep configuration and logs");
  command.add_option("--events", options.events_file,
                     "Write the events of all nodes to this file, as JSON lines that the page of "
                     "scripts/web.sh draws");
}

namespace {

CLI::App* add_load(CLI::App& app, Options& options, RawOptions& raw) {
  auto* load = app.add_subcommand("load", "Load and judge a cluster that runs already");
  load->add_option("--masters", raw.urls, "URLs with commas between")->required();
  load->add_option("--admin", raw.admin_urls,
                   "The same masters' URLs for operators, if they have any");
  load->add_option("--admin-token-file", raw.admin_token_file,
                   "A file with the token that it wants (or the token in FIXKEEP_ADMIN_TOKEN)")
      ->envname("FIXKEEP_ADMIN_TOKEN_FILE");
  load->add_option("--capacity", options.cluster.capacity, "Seats of a room there")
      ->check(CLI::Range(1, 1000));
  load->add_option("--ready-s", options.ready_s,
                   "Longest wait until every master is ready and sees a worker (0: no wait)")
      ->check(CLI::Range(0, 3600));
  load->add_option("--mode", options.mode, "Asked for");
  load->add_option("--version", options.version, "The players' version attribute");
  add_load_options(*load, options);
  return load;
}

CLI::App* add_up(CLI::App& app, Options& options, RawOptions& raw) {
  auto* up = app.add_subcommand("up", "Start a local cluster and keep it until Ctrl-C");
  up->add_option("--lock", raw.locks, "Strategy")->default_str("multiphase");
  add_cluster_options(*up, options);
  add_runner_option(*up, options);
  add_distance_options(*up, raw.distances);
  return up;
}

// Reads the addresses of a running cluster. Returns the mistake, if any.
std::string complete_load(Options& options, const RawOptions& raw) {
  options.url_texts = split(raw.urls);
  for (const auto& url : options.url_texts) {
    const auto endpoint = parse_endpoint(url);
    if (!endpoint) return "--masters: \"" + url + "\" is not like http://127.0.0.1:8101";
    options.master_urls.push_back(*endpoint);
  }
  if (options.master_urls.empty()) return "--masters: no master is given";
  for (const auto& url : split(raw.admin_urls)) {
    const auto endpoint = parse_endpoint(url);
    if (!endpoint) return "--admin: \"" + url + "\" is not like http://127.0.0.1:8181";
    options.admin.masters.push_back(*endpoint);
  }
  if (!options.admin.masters.empty() &&
      options.admin.masters.size() != options.master_urls.size()) {
    return "--admin: give one URL for each of --masters, in the same order";
  }
  std::string problem;
  options.admin.token = config::operators_token(raw.admin_token_file, problem);
  if (!problem.empty()) return "--admin-token-file: " + problem;
  options.workload.masters = options.master_urls.size();
  options = with_arrival(options, options.arrivals.front());
  return {};
}

}  // namespace

std::string choose_locks(const std::string& names, const std::vector<std::string>& known,
                         const char* option, std::vector<std::string>& chosen) {
  chosen = names == "all" ? known : split(names);
  // "all" leaves this strategy out, because it needs programs that no package of Debian has.
  if (names == "all") std::erase(chosen, "kubernetes-lease");
  if (chosen.empty()) return std::string{option} + ": no strategy is given";
  for (const auto& lock : chosen) {
    if (std::find(known.begin(), known.end(), lock) != known.end()) continue;
    std::string text = "\"" + lock + "\" is not one of all";
    for (const auto& name : known) text += ", " + name;
    return option + (": " + text);
  }
  return {};
}

std::string complete_options(Options& options, const RawOptions& raw) {
  if (auto mistake = read_arrivals(options.arrival, options.arrivals); !mistake.empty()) {
    return mistake;
  }
  options.arrival.players = options.workload.players;
  for (const auto arrival : options.arrivals) {
    if (players_of(options.arrival, arrival, options.workload) >
        static_cast<double>(most_players)) {
      return "--rate times --duration-s: too many";
    }
  }
  if (options.command == Command::load) return complete_load(options, raw);
  if (auto mistake = read_distances(raw.distances, options.distances); !mistake.empty()) {
    return mistake;
  }
  if (options.command == Command::up && options.distances.size() > 1) {
    return "--link-delay-ms: a cluster that is kept has one delay";
  }
  options.workload.masters = options.cluster.masters;
  options = with_arrival(options, options.arrivals.front());
  return choose_locks(raw.locks, known_locks(),
                      options.command == Command::up ? "--lock" : "--locks", options.locks);
}

std::string join_arguments(const char* program, int argc, const char* const* argv) {
  std::string text = program;
  for (int index = 1; index < argc; ++index) text += std::string{" "} + argv[index];
  return text;
}

const std::vector<std::string>& known_locks() {
  static const auto names = [] {
    std::vector<std::string> made{"none"};  // the comparison's baseline comes first
    for (const auto& each : lock::strategies) {
      if (each.family != lock::Family::none) made.emplace_back(each.name);
    }
    return made;
  }();
  return names;
}

Options with_arrival(const Options& given, Arrival arrival) {
  Options options = given;
  auto& workload = options.workload;
  workload.arrival = arrival;
  workload.stay = std::chrono::milliseconds{options.arrival.churn_stay_ms};
  workload.players = static_cast<std::size_t>(players_of(options.arrival, arrival, workload));
  auto& cluster = options.cluster;
  cluster.close_empty_after_ms =
      options.arrival.close_empty_ms.value_or(arrival == Arrival::churn ? 2000 : 60'000);
  // Without a lock, each master may make all the rooms that the players need. A worker's limit is
  // twice its mean share of all these rooms, because the workers with the most headroom get more
  // rooms.
  const auto seats = options.own_mode ? options.own_mode->least_seats() : cluster.capacity;
  const auto ideal = workload.players / seats + workload.groups;
  const auto generous = 2 * cluster.masters * ideal / cluster.workers + 50 + cluster.warm;
  cluster.rooms_a_worker = options.arrival.room_limit.value_or(
      static_cast<std::uint32_t>(std::min<std::size_t>(generous, 2500)));
  return options;
}

std::variant<Options, ExitCode> parse_options(int argc, const char* const* argv, std::ostream& out,
                                              std::ostream& err) {
  CLI::App app{"Load generator and judge of FIX Keep", "fixkeep-client-sim"};
  app.option_defaults()->always_capture_default();
  app.require_subcommand(1);
  app.footer(examples);
  Options options;
  RawOptions raw;
  auto* compare = app.add_subcommand(
      "compare", "Compare locks: start, load and judge a local cluster for each lock and seed");
  add_compare_options(*compare, options, raw);
  auto* load = add_load(app, options, raw);
  auto* up = add_up(app, options, raw);
  for (auto* command : {compare, load, up}) command->footer(examples);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return refuse(app, error, out, err); }
  options.command = compare->parsed() ? Command::compare
                    : load->parsed()  ? Command::load
                                      : Command::up;
  if (up->parsed() && up->count("--lock") == 0) raw.locks = "multiphase";
  options.command_line = join_arguments("fixkeep-client-sim", argc, argv);
  if (const auto mistake = complete_options(options, raw); !mistake.empty()) {
    return refuse(mistake, err);
  }
  return options;
}

ExitCode refuse(const CLI::App& app, const CLI::ParseError& error, std::ostream& out,
                std::ostream& err) {
  const int code = app.exit(error, out, err);
  if (code == 0) return {exit_fine};
  err << '\n' << app.help() << '\n';
  return {exit_usage};
}

ExitCode refuse(const std::string& mistake, std::ostream& err) {
  err << mistake << "\nRun with --help for more information.\n";
  return {exit_usage};
}

}  // namespace fixkeep::client_sim
