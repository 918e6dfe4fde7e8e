// The settings of a worker: its checked configuration as the options of its parts.
//
// describe() describes the file and its keys. The program checks more than the schema: ids of
// masters and mode names are unique, the ports are a range, the chosen times are safe
// (common/base/time_limits.hpp), and the secret is usable. See also the checks of
// game_description.hpp and player_address.hpp. With --check, the program also checks this machine
// (games_here.hpp), and whether the worker can listen on the operators' port. When a worker starts,
// games_here.hpp reports only doubts, because other parts of the machine may start later.
//
// Thread rule: a value. Errors: config::Problems. All problems are reported together, before any
// socket is opened.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/config/address.hpp"
#include "common/config/loader.hpp"
#include "common/config/program.hpp"
#include "common/net/http/operators.hpp"
#include "common/net/link/hub.hpp"
#include "common/obs/log.hpp"
#include "worker/core/room_host.hpp"
#include "worker/runner/runner_options.hpp"
#include "worker/shell/game_description.hpp"

namespace fixkeep::worker {

struct MasterAddress {
  MasterId id;
  config::Address address;

  friend bool operator==(const MasterAddress&, const MasterAddress&) = default;
};

// core.incarnation and links.self.incarnation are facts of this run, which main() sets.
struct Settings {
  RoomHostOptions core;
  net::LinkOptions links;       // includes cluster id and secret
  Duration round_trip{0};       // longest round trip between any two nodes
  net::AdminOptions admin;      // listener for operators
  bool through_masters = true;  // operators may also call through masters
  obs::LogOptions log;
  std::size_t events_kept = 0;
  std::string engine_socket;
  KubernetesOptions kubernetes;
  std::string runner = "process";  // a name in worker/runner/runners.cpp
  std::string state_folder;
  bool upgrade = false;  // ends the worker that uses this state folder, and adopts its games
  // The games of a dead worker run for this time, so that its next run can adopt them. 0: they end
  // with the worker.
  std::chrono::milliseconds outlive_worker{std::chrono::hours{1}};
  Duration drain{};                   // longest drain before the rooms close at a stop; 0: no drain
  std::uint16_t first_port = 20'000;  // range of the rooms' ports
  std::uint16_t last_port = 20'999;
  net::HttpsFiles room_tls;  // see RunnerOptions::tls
  UserRange users;           // the rooms' users, one for each room
  config::Problems doubts;   // values that are allowed, but are mistakes in most cases
  std::vector<MasterAddress> masters;
  std::vector<GameDescription> games;  // one for each of core.modes, in the same order
};

// Describes every key of a configuration file. An entry of `games` has the keys of
// `settings.runner`.
void describe(config::Fields& fields, Settings& settings);
// Returns the JSON schema of a configuration file, with the keys of all runners.
[[nodiscard]] std::string_view settings_schema();

// REQUIRES: `document` is valid. load_settings() checks this.
[[nodiscard]] Settings read_settings(const config::Document& document, std::string secret);
[[nodiscard]] std::variant<Settings, config::Problems> load_settings(
    const config::CommandLine& line, const std::vector<std::string>& variables);

// Returns the settings in effect as a configuration file without the secret.
[[nodiscard]] config::Json to_json(const Settings& settings);

// REQUIRES: main() has completed the settings of this run.
[[nodiscard]] RunnerOptions runner_options(const Settings& settings);

// Returns all masters, because each worker dials every master.
[[nodiscard]] std::vector<net::LinkTarget> dialled_by(const Settings& settings);

// The program fixkeep-worker, for main().
[[nodiscard]] config::Program<Settings> program();

}  // namespace fixkeep::worker
