#include "worker/shell/settings_keys.hpp"

#include "common/net/http/http_settings.hpp"
#include "common/net/link/link_settings.hpp"
#include "common/node/settings.hpp"
#include "worker/runner/kubernetes/pod_engine.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::worker {
namespace {

using config::Fields;
using config::Json;

constexpr std::int64_t port_most = 65'535;
constexpr std::int64_t memory_most = 100'000'000;

void describe_worker(Fields& fields, Settings& settings) {
  constexpr std::size_t id_most = 64;
  constexpr std::size_t zone_most = 128;
  constexpr std::size_t host_most = 255;
  fields.text(config::always("id"), settings.core.self, config::name_text(id_most),
              "The name of this worker, unique in the cluster.");
  fields.text(config::always("zone"), settings.core.zone, config::name_text(zone_most),
              "The availability zone of this node.");
  fields.text(config::always("address"), settings.core.address,
              {1, host_most, "^[^\\s/]+$", "a host name or an IP address"},
              "The address for players: a host name or an IP address, without a port or brackets.");
  fields.path("state_folder", settings.state_folder,
              "The folder for state that outlives the worker process, and for its rooms. Default: "
              "$STATE_DIRECTORY, or a folder in /var/lib/fixkeep (not root: in "
              "~/.local/state/fixkeep). Only root and the worker's user may have write "
              "permission.");
  fields.time("drain_ms", settings.drain, {0, config::day_ms},
              "Longest time for rooms to become empty when the worker stops. Meanwhile it accepts "
              "no new players. 0: rooms are closed immediately.");
}

void describe_ranges(Fields& fields, Settings& settings) {
  {
    const auto in_ports = fields.section("ports", "The ports for rooms: each room gets one.");
    fields.whole("first", settings.first_port, {1, port_most}, "The first port.");
    fields.whole("last", settings.last_port, {1, port_most}, "The last port, inclusive.");
  }
  const auto in_users = fields.section(
      "users",
      "Each room runs as a separate user, with one of these user ids. The ids must be "
      "otherwise unused. Requires a worker that runs as root.");
  constexpr std::int64_t user_most = 4'294'947'293;
  fields.whole("first", settings.users.first, {0, user_most},
               "The first user id, at least 1000. 0: games run as games[].user.");
}

void describe_tls(Fields& fields, net::HttpsFiles& files) {
  const auto in_tls = fields.section(
      "tls",
      "The certificate for the port \"wss\" of rooms (games[].ports). fixkeep-room-tls decrypts "
      "the bytes at this port for the first port of the game. It uses changed files within two "
      "seconds.");
  fields.path("certificate", files.certificate,
              "PEM file of the certificate for worker.address, with its chain. Empty: games "
              "decrypt themselves.");
  fields.path("key", files.key, "PEM file of the private key; only its owner may read it.");
}

void describe_times(Fields& fields, RoomHostOptions& core) {
  fields.time("reservation_ms", core.reservation, {100, config::day_ms},
              "Time for a player to enter the room. After it the seat is free again.");
  fields.time("close_empty_after_ms", core.close_empty_after, {0, config::day_ms},
              "The worker closes a room after it has been empty for this time.");
}

void describe_runner(Fields& fields, Settings& settings) {
  constexpr std::size_t socket_most = 107;
  std::vector<std::string> names;
  for (const RunnerKind& each : all_runners()) names.emplace_back(each.name);
  fields.word("runner", settings.runner, names,
              "How this worker runs games. process: processes of this machine; docker, podman: "
              "containers of an engine here (games[].container); hook: your own commands start "
              "them (games[].hook); kubernetes: pods of a cluster (games[].pod); agones: servers "
              "of Agones fleets (games[].fleets).");
  describe_kubernetes(fields, settings.kubernetes);
  fields.time("outlive_worker_ms", settings.outlive_worker, {0, config::day_ms},
              "Time for which games run on after their worker process dies, so that the restarted "
              "worker finds them. 0: games end with the worker.");
  fields.text("engine_socket", settings.engine_socket, {0, socket_most},
              "Path of the container engine's socket on this machine; empty: its usual one. A user "
              "with access to it is root.");
}

void describe_rooms(Fields& fields, Settings& settings) {
  constexpr std::int64_t rooms_most = 20'000;
  fields.whole("limit", settings.core.room_limit, {1, rooms_most, "rooms"},
               "Most rooms at a time. At the start, the worker lowers the limit if it has too few "
               "file descriptors.");
  describe_ranges(fields, settings);
  fields.whole("memory_mib", settings.core.memory_mib, {0, memory_most, "MiB"},
               "Memory for all rooms together; 0: no limit.");
  describe_tls(fields, settings.room_tls);
  describe_times(fields, settings.core);
  describe_runner(fields, settings);
}

void describe_games(Fields& fields, Settings& settings, const RunnerKind* runner) {
  std::vector<std::string> files;  // their entries are in `games`
  fields.texts(
      "game_files", files, {0, 256}, config::path_text,
      "Files with one entry of games each. Paths are relative to the folder of this file.");
  std::vector<std::pair<GameDescription, ModeOptions>> games;
  for (std::size_t i = 0; i < settings.games.size(); ++i) {
    games.emplace_back(settings.games[i], settings.core.modes[i]);
  }
  fields.list(config::always("games"), games, {1, 256}, "The game modes that this worker can run.",
              [&](auto& entry) { describe(fields, entry.first, entry.second, runner); });
  if (!fields.reads()) return;
  for (auto& [game, mode] : games) {
    settings.games.push_back(std::move(game));
    settings.core.modes.push_back(std::move(mode));
  }
}

// If `all` is true, the games have the keys of `runner` (null: of all runners). Otherwise they have
// the keys of the runner in `settings`, which is read before the games.
void describe(Fields& fields, Settings& settings, bool all, const RunnerKind* runner) {
  {
    const auto in_worker = fields.section("worker", "The identity of this worker.");
    describe_worker(fields, settings);
  }
  net::describe_masters(fields, settings.masters,
                        "All masters of the cluster. The worker connects to each master.");
  {
    const auto in_rooms = fields.section("rooms", "Limits of this worker and of its rooms.");
    describe_rooms(fields, settings);
  }
  if (!all) runner = find_runner(settings.runner);
  describe_games(fields, settings, runner);
  {
    const auto in_ping = fields.section(
        "ping",
        "The listener at which players measure their latency to this worker, over UDP and HTTP.");
    fields.whole("port", settings.core.ping_port, {0, port_most},
                 "Port on all addresses of this machine. Players reach it at worker.address. "
                 "0: players cannot measure their latency.");
  }
  {
    const auto in_admin = fields.section(
        "admin", "The listener for operators: room logs, drains, events and metrics.");
    net::describe_admin(fields, settings.admin,
                        "Port to listen on; 0: no listener for operators, and no drains.");
    fields.flag("through_masters", settings.through_masters,
                "Operators of masters may drain and close rooms of this worker, and read the "
                "output of games.");
  }
  net::describe_cluster(fields, settings.links, settings.round_trip);
  {
    const auto in_mesh = fields.section("mesh", "The links to the masters.");
    net::describe_heartbeat(fields, settings.links);
  }
  describe_events(fields, settings.events_kept);
  describe_log(fields, settings.log);
}

}  // namespace

void describe(Fields& fields, Settings& settings) {
  describe(fields, settings, false, nullptr);
}

std::string schema_of(const RunnerKind* runner) {
  return Fields::schema("fixkeep-worker configuration", "Configuration of fixkeep-worker.",
                        [&](Fields& fields) {
                          Settings made;
                          describe(fields, made, true, runner);
                        });
}

config::Schema schema_for(const config::Document& document) {
  const auto* const given = config::find(document.root(), "rooms.runner");
  const Json name = given == nullptr ? Json(Settings{}.runner) : *given;
  return config::Schema{
      schema_of(name.is_string() ? find_runner(name.get<std::string>()) : nullptr)};
}

}  // namespace fixkeep::worker
