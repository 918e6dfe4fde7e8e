// The settings of a worker: its configuration, checked, as the options of its parts.
//
// configs/worker.schema.json says what the file may hold and what each key means. Beyond the schema
// are checked here: ids of masters and mode names are unique; the ports and the rooms' users
// are ranges, of enough users for all rooms; what
// game_description.hpp and player_address.hpp check; times that are chosen are safe
// (common/base/time_limits.hpp); the secret. With --check also this machine: games_here.hpp, and
// the port for operators can be listened on. At a start, which may come before the rest of the
// machine, the former are doubts.
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

// main fills in what only this run knows: core.incarnation, links.self.incarnation.
struct Settings {
  RoomHostOptions core;
  net::LinkOptions links;                // with the cluster's id and secret
  Duration round_trip{0};                // the longest one between any two nodes
  net::AdminOptions admin;               // for operators
  bool through_masters = true;           // operators of masters may call as well
  std::string ping_address = "0.0.0.0";  // its port is core.ping_port
  obs::LogOptions log;
  std::size_t events_kept = 0;
  std::string engine_socket = "/var/run/docker.sock";
  KubernetesOptions kubernetes;
  std::string runner = "process";  // of the names in worker/runner/runners.cpp
  std::string state_folder;
  bool upgrade = false;  // the worker that runs with this state folder ends, and leaves its games
  // So long the games of a worker that has died go on, for its next run to find; 0: not at all.
  std::chrono::milliseconds outlive_worker{std::chrono::hours{1}};
  Duration drain{};  // how long rooms may go on when the worker is asked to end; 0: they may not
  std::uint16_t first_port = 20'000;  // of rooms
  std::uint16_t last_port = 20'999;
  GameOutputOptions output;
  std::uint32_t kept_folders = 100;
  UserRange users;                        // of rooms, each its own
  std::vector<std::string> open_secrets;  // files with a secret that others may read
  config::Problems doubts;                // what may be meant so, and mostly is not
  std::vector<MasterAddress> masters;
  std::vector<GameDescription> games;  // one for each of core.modes, in the same order
};

// configs/worker.schema.json, as it was when the program was built.
[[nodiscard]] std::string_view settings_schema() noexcept;

// REQUIRES: `document` is valid, that is, the second function has found no problem.
[[nodiscard]] Settings read_settings(const config::Document& document, std::string secret);
[[nodiscard]] std::variant<Settings, config::Problems> load_settings(
    const config::CommandLine& line, const std::vector<std::string>& variables);

// The settings in effect as a configuration file would have them, without the secret.
[[nodiscard]] config::Json to_json(const Settings& settings);

// REQUIRES: the settings of a run, as main() has completed them.
[[nodiscard]] RunnerOptions runner_options(const Settings& settings);

// All masters: each worker dials every one.
[[nodiscard]] std::vector<net::LinkTarget> dialled_by(const Settings& settings);

// fixkeep-worker, as its main() starts it.
[[nodiscard]] config::Program<Settings> program();

}  // namespace fixkeep::worker
