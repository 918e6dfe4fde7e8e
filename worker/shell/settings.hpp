// The settings of a worker: its checked configuration as the options of its parts.
//
// configs/worker.schema.json describes the file and its keys. Beyond the schema these are checked:
// ids of masters and mode names are unique; the ports are a range; the checks of
// game_description.hpp and player_address.hpp; chosen times are safe (common/base/time_limits.hpp);
// the secret. With --check also this machine: games_here.hpp and whether the port for operators can
// be listened on. At a start (possibly before the rest of the machine) games_here.hpp gives doubts.
//
// Thread rule: a value. Errors: config::Problems, all at once, before any socket is opened.
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

// main fills in the facts of this run: core.incarnation, links.self.incarnation.
struct Settings {
  RoomHostOptions core;
  net::LinkOptions links;       // cluster id and secret included
  Duration round_trip{0};       // longest between any two nodes
  net::AdminOptions admin;      // listener for operators
  bool through_masters = true;  // masters' operators may call too
  obs::LogOptions log;
  std::size_t events_kept = 0;
  std::string engine_socket;
  KubernetesOptions kubernetes;
  std::string runner = "process";  // a name in worker/runner/runners.cpp
  std::string state_folder;
  bool upgrade = false;  // the worker that runs with this state folder ends and leaves its games
  // The games of a dead worker go on this long for its next run to find. 0: not at all.
  std::chrono::milliseconds outlive_worker{std::chrono::hours{1}};
  Duration drain{};                   // limit for rooms when the worker is asked to end; 0: no time
  std::uint16_t first_port = 20'000;  // range of the rooms' ports
  std::uint16_t last_port = 20'999;
  GameOutputOptions output;
  UserRange users;                        // users of rooms, each its own
  std::vector<std::string> open_secrets;  // files with a secret that others may read
  config::Problems doubts;                // values that may be meant, but mostly are not
  std::vector<MasterAddress> masters;
  std::vector<GameDescription> games;  // one for each of core.modes, in the same order
};

// configs/worker.schema.json as built into the program.
[[nodiscard]] std::string_view settings_schema() noexcept;

// REQUIRES: `document` is valid: the second function has found no problem.
[[nodiscard]] Settings read_settings(const config::Document& document, std::string secret);
[[nodiscard]] std::variant<Settings, config::Problems> load_settings(
    const config::CommandLine& line, const std::vector<std::string>& variables);

// The settings in effect as a configuration file without the secret.
[[nodiscard]] config::Json to_json(const Settings& settings);

// REQUIRES: the settings of a run as main() has completed them.
[[nodiscard]] RunnerOptions runner_options(const Settings& settings);

// All masters: each worker dials every one.
[[nodiscard]] std::vector<net::LinkTarget> dialled_by(const Settings& settings);

// fixkeep-worker as its main() starts it.
[[nodiscard]] config::Program<Settings> program();

}  // namespace fixkeep::worker
