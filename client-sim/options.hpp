// The command line of client-sim.
//
// Thread rule: free functions without state. Errors: help and mistakes are written to the streams
// given, and an exit code comes back.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "client-sim/arrival_options.hpp"
#include "client-sim/cluster/config.hpp"
#include "client-sim/fault_options.hpp"
#include "client-sim/load/api.hpp"
#include "client-sim/load/workload.hpp"
#include "client-sim/locks/options.hpp"
#include "client-sim/pools/live_rules.hpp"
#include "client-sim/race/options.hpp"
#include "client-sim/replay/options.hpp"

namespace fixkeep::client_sim {

inline constexpr int exit_fine = 0;
// A duplicate, an overbooked, leaked or broken seat, a loss; of locks, two holders of one key.
inline constexpr int exit_verdict = 1;
inline constexpr int exit_usage = 2;       // the command line
inline constexpr int exit_no_cluster = 3;  // could not be started, or does not answer
inline constexpr int exit_interrupted = 130;

enum class Command : std::uint8_t { compare, load, up, race, engines, locks, replay };

struct Options {
  Command command = Command::compare;
  std::vector<std::string> locks;                 // compare, locks
  std::vector<Endpoint> master_urls;              // load
  std::vector<std::string> url_texts;             // the same, as written
  AdminSide admin;                                // load
  ClusterOptions cluster;                         // compare, up, locks
  std::vector<Distances> distances{{}};           // compare: everything runs at each; up: the first
  std::vector<Arrival> arrivals{Arrival::burst};  // compare, load: everything runs with each
  ArrivalTexts arrival;                           // what with_arrival() makes them of
  WorkloadOptions workload;                       // with the first arrival
  LocksOptions bench;                             // locks
  ReplayCommandOptions replay;
  RaceOptions race;
  std::uint32_t seeds = 1;
  std::uint32_t ready_s = 0;  // load: the masters get so long to become ready; 0: they must be
  std::string mode = "duel";
  std::string version = "1";
  std::uint32_t wait_ms = 30'000;
  std::uint32_t attempts = 5;
  std::uint32_t sample_ms = 100;
  std::uint32_t rest_ms = 20'000;
  std::uint32_t idle_connections = 0;
  bool keep_alive = false;
  bool preconnect = true;
  FaultOptions faults;     // compare
  int own_nice = 0;        // compare: of this process alone, under load; 0: as it is
  std::string rules_file;  // compare: of a mode whose rules widen
  std::shared_ptr<const LiveRules> rules;  // the same, as it was read; null: there is none
  bool keep_files = false;
  std::string json_file;
  std::string report_file;
  bool stages = false;       // print where the time of the matches went
  std::string plots_folder;  // empty: no plots are written
  std::string command_line;  // as it was given, for the report
};

struct ExitCode {
  int code = 0;
};

// The same options with another of their arrivals: with it change the number of players if a
// duration was given, how long empty rooms stay, and how many rooms a worker may have.
[[nodiscard]] Options with_arrival(const Options& given, Arrival arrival);

// Strategies that --locks all stands for.
[[nodiscard]] const std::vector<std::string>& known_locks();

[[nodiscard]] std::variant<Options, ExitCode> parse_options(int argc, const char* const* argv,
                                                            std::ostream& out, std::ostream& err);

}  // namespace fixkeep::client_sim
