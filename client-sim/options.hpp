// The command line of client-sim.
//
// Thread rule: free functions without state. Errors: help and mistakes are written to the given
// streams, and an exit code is returned.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "client-sim/arrival_options.hpp"
#include "client-sim/cluster/config.hpp"
#include "client-sim/distance_options.hpp"
#include "client-sim/fault_options.hpp"
#include "client-sim/load/api.hpp"
#include "client-sim/load/workload.hpp"
#include "client-sim/own_mode.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace fixkeep::client_sim {

inline constexpr int exit_fine = 0;
// The judge has found a fault, for example a duplicate room, a lost request or an overbooked seat.
// For locks: two holders of one key.
inline constexpr int exit_verdict = 1;
inline constexpr int exit_usage = 2;       // mistake in the command line
inline constexpr int exit_no_cluster = 3;  // cluster did not start or does not answer
inline constexpr int exit_interrupted = 130;

enum class Command : std::uint8_t { compare, load, up };

struct Options {
  Command command = Command::compare;
  std::vector<std::string> locks;                 // compare: all; up: the first
  std::vector<Endpoint> master_urls;              // load
  std::vector<std::string> url_texts;             // load: the URLs as written
  AdminSide admin;                                // load
  ClusterOptions cluster;                         // compare, up
  std::vector<Distances> distances{{}};           // compare: runs at each; up: the first
  std::vector<Arrival> arrivals{Arrival::burst};  // compare, load: runs with each
  ArrivalTexts arrival;                           // input of with_arrival()
  WorkloadOptions workload;                       // workload of the first arrival
  std::uint32_t seeds = 1;
  std::uint32_t ready_s = 0;  // load: how long to wait until the masters are ready; 0: no wait
  std::string mode = "duel";
  std::string version = "1";
  std::uint32_t wait_ms = 30'000;
  std::uint32_t attempts = 5;
  std::uint32_t sample_ms = 100;
  std::uint32_t rest_ms = 20'000;
  std::uint32_t idle_connections = 0;
  bool keep_alive = false;
  bool preconnect = true;
  FaultOptions faults;  // compare
  int own_nice = 0;     // compare: priority of this process under load; 0: unchanged
  std::shared_ptr<const OwnMode> own_mode;  // compare: players and judge of the mode, or null
  bool keep_files = false;
  std::string json_file;
  std::string report_file;
  std::string events_file;
  bool stages = false;       // print the stages of the matches
  std::string command_line;  // the user's command line, for the report
};

struct ExitCode {
  int code = 0;
};

// Returns the options for runs with `arrival`, one of `given.arrivals`. This changes the number of
// players (if a duration was given), the time that empty rooms stay open, and the rooms of a
// worker.
[[nodiscard]] Options with_arrival(const Options& given, Arrival arrival);

// Returns all strategies that `--locks` accepts.
[[nodiscard]] const std::vector<std::string>& known_locks();

[[nodiscard]] std::variant<Options, ExitCode> parse_options(int argc, const char* const* argv,
                                                            std::ostream& out, std::ostream& err);

// The parts of client-sim's command line. fixkeep-lab uses them for its own commands that run
// clusters or loads.
struct RawOptions {  // unchecked texts
  std::string locks = "none,multiphase";
  std::string urls;
  std::string admin_urls;
  std::string admin_token_file;
  DistanceTexts distances;
};
void add_cluster_options(CLI::App& command, Options& options);
void add_load_options(CLI::App& command, Options& options);
// Adds all options of compare.
void add_compare_options(CLI::App& command, Options& options, RawOptions& raw);

// Completes options that depend on each other. Returns the mistake, if any.
[[nodiscard]] std::string complete_options(Options& options, const RawOptions& raw);
// Chooses `names` from `known`. "all" means all of them except kubernetes-lease. Returns the
// mistake, if any.
[[nodiscard]] std::string choose_locks(const std::string& names,
                                       const std::vector<std::string>& known, const char* option,
                                       std::vector<std::string>& chosen);
[[nodiscard]] std::string join_arguments(const char* program, int argc, const char* const* argv);

// Writes help or a command-line mistake. Returns the exit code.
[[nodiscard]] ExitCode refuse(const CLI::App& app, const CLI::ParseError& error, std::ostream& out,
                              std::ostream& err);
[[nodiscard]] ExitCode refuse(const std::string& mistake, std::ostream& err);

}  // namespace fixkeep::client_sim
