#include "worker/shell/settings.hpp"

#include <sys/stat.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "common/config/listening.hpp"
#include "common/config/sections.hpp"
#include "common/net/configured_tls.hpp"
#include "common/obs/version.hpp"
#include "common/process/folder.hpp"
#include "common/process/program.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"
#include "worker/runner/process/keeper_plan.hpp"
#include "worker/runner/runners.hpp"
#include "worker/runner/state_folder.hpp"
#include "worker/shell/games_here.hpp"
#include "worker/shell/player_address.hpp"
#include "worker/shell/runner_keys.hpp"
#include "worker/shell/settings_keys.hpp"

namespace fixkeep::worker {
namespace {

using config::CrossCheck;
using config::Document;
using config::Json;
using config::Problems;

// --- checks across fields -----------------------------------------------------------------------

void check_ports(const Document& document, Problems& problems) {
  CrossCheck check{document, problems};
  if (!check.can_judge({"rooms.ports.first", "rooms.ports.last"})) return;
  const auto first = check.number("rooms.ports.first");
  const auto last = check.number("rooms.ports.last");
  if (first <= last) return;
  check.report("rooms.ports.last", "must be at least rooms.ports.first (" + std::to_string(first) +
                                       "), is " + std::to_string(last));
}

void check_users(const Document& document, Problems& problems) {
  CrossCheck check{document, problems};
  if (!check.can_judge({"rooms.users.first"})) return;
  const auto first = check.number("rooms.users.first");
  if (first == 0) return;
  if (first < least_room_user) {
    return check.report("rooms.users.first", "must be at least " + std::to_string(least_room_user) +
                                                 ", below are users of the system, is " +
                                                 std::to_string(first));
  }
  const auto& games = document.root().at("games");
  for (std::size_t i = 0; i < games.size(); ++i) {
    const auto key = config::entry_key("games", i) + ".user";
    if (!check.can_judge({key})) continue;
    if (games.at(i).at("user").get_ref<const std::string&>().empty()) continue;
    check.report(key, "must not be given beside rooms.users, by which each room has its own user");
  }
}

// With --check, checks this machine in addition to the configuration.
void check_machine(const Document& document, Problems& problems, Problems& doubts) {
  config::check_log_file(document, problems);
  check_programs_of_games(document, problems, problems);
  check_needs_of_games(document, problems, problems);
  CrossCheck check{document, problems};
  const auto text = [&](const std::string& key) -> const std::string& {
    return config::find(document.root(), key)->get_ref<const std::string&>();
  };
  // Checks only a configured folder: the default folder depends on the user that starts the worker.
  if (const auto folder = config::resolved_path(document, "worker.state_folder");
      check.can_judge({"worker.state_folder"}) && !folder.empty()) {
    const auto why = StateFolder{std::filesystem::absolute(folder)}.refusal();
    if (!why.empty()) check.report("worker.state_folder", "cannot be used: " + why);
  }
  if (check.can_judge({"rooms.users.first"}) && check.number("rooms.users.first") != 0 &&
      ::geteuid() != 0) {
    check.report("rooms.users.first", needs_root);
  }
  if (check.can_judge({"rooms.tls.certificate"}) && !text("rooms.tls.certificate").empty()) {
    const auto found = process::find_program(room_tls_program, process::program_folders());
    if (found.path.empty()) {
      check.report("rooms.tls.certificate",
                   std::string{"needs "} + room_tls_program + ", which is " + found.problem);
    }
  }
  const auto look_at_port = [&](const std::string& port, const std::string& address) {
    if (!check.can_judge({port}) || check.number(port) == 0) return;
    const config::Address at{address, static_cast<std::uint16_t>(check.number(port))};
    config::check_listening(document, port, at, problems, doubts);
  };
  if (check.can_judge({"admin.address"})) look_at_port("admin.port", text("admin.address"));
  look_at_port("ping.port", "0.0.0.0");
  if (check.can_judge({"rooms.runner"}) && text("rooms.runner") == "kubernetes") {
    config::check_listening(document, "rooms.kubernetes.sdk.host", {"0.0.0.0", relay_port},
                            problems, doubts);
  }
}

// Games run as other users, and could read these files.
void doubt_open_secrets(const Document& document, Problems& doubts) {
  const auto look_at = [&](const std::string& key, const std::string& file) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0 || (found.st_mode & S_IROTH) == 0) return;
    doubts.push_back(document.problem(
        key, "every user of this machine can read a secret of this worker: chmod 600 " + file));
  };
  for (const std::string key : {"cluster.secret", "admin.token"}) {
    const bool in_file = document.given(key) && document.origin(key).layer == config::Layer::file;
    if (in_file) look_at(key, document.name());
    const auto file = config::resolved_path(document, key + "_file");
    if (!file.empty()) look_at(key + "_file", file);
  }
}

}  // namespace

std::string_view settings_schema() {
  static const std::string schema = schema_of(nullptr);
  return schema;
}

Settings read_settings(const Document& document, std::string secret) {
  Settings settings;
  Problems none;
  config::take_limits(config::read_time_limits(document, none), settings.links);
  auto fields = config::Fields::reading(document.root());
  describe(fields, settings);
  // There are as many users as rooms: a room keeps its user until its processes are gone.
  if (settings.users.any())
    settings.users.last = settings.users.first + settings.core.room_limit - 1;
  settings.links.secret = std::move(secret);
  settings.core.record_events = settings.events_kept > 0;
  settings.links.self = {net::Role::worker, settings.core.self.text(), {}};
  settings.log.node = settings.core.self.text();
  for (const MasterAddress& master : settings.masters) {
    settings.links.known_masters.push_back(to_string(master.id));
  }
  for (std::size_t i = 0; i < settings.core.modes.size(); ++i) {
    settings.core.modes[i].needs_group = needs_group(document.root().at("games").at(i));
  }
  settings.state_folder = config::resolved_path(document, "worker.state_folder");
  settings.kubernetes.kubeconfig = config::resolved_path(document, "rooms.kubernetes.kubeconfig");
  return settings;
}

std::variant<Settings, Problems> load_settings(const config::CommandLine& line,
                                               const std::vector<std::string>& variables) {
  static const config::Schema schema{settings_schema()};
  Problems problems;
  Problems doubts;
  const auto document = config::load_document(
      line, variables, schema, problems, config::ListInFiles{"games", "game_files"}, schema_for);
  if (!document) return problems;
  std::string secret = load_secret(*document, problems);
  check_unique(*document, "masters", "id", problems);
  check_unique(*document, "masters", "address", problems);
  check_addresses(*document, "masters", problems);
  check_unique(*document, "games", "mode", problems);
  static_cast<void>(config::read_time_limits(*document, problems));
  check_ports(*document, problems);
  check_users(*document, problems);
  check_games(*document, problems);
  check_runner_keys(*document, problems);
  check_player_address(*document, problems, doubts);
  check_ports_of_rooms(*document, problems, doubts);
  doubt_open_secrets(*document, doubts);
  if (!problems.empty()) {
    sort(problems);
    return problems;
  }
  Settings settings = read_settings(*document, std::move(secret));
  settings.upgrade = line.upgrade;
  std::vector<std::string> addresses;
  for (std::size_t i = 0; i < settings.masters.size(); ++i) {
    addresses.push_back(config::entry_key("masters", i) + ".address");
  }
  net::configure_tls(*document, addresses, settings.links, problems);
  net::configure_admin(*document, settings.admin, problems, doubts);
  (void)net::load_certificate(*document, "rooms", settings.room_tls, problems);
  if (line.check) {
    check_machine(*document, problems, doubts);
    config::doubt_ports(*document, doubts);
  } else {
    check_needs_of_games(*document, problems, doubts);
  }
  if (!problems.empty()) {
    sort(problems);
    return problems;
  }
  sort(doubts);
  settings.doubts = std::move(doubts);
  return settings;
}

Json to_json(const Settings& settings) {
  Json shown = Json::object();
  Settings copy = settings;
  auto fields = config::Fields::writing(shown);
  describe(fields, copy);
  return shown;
}

RunnerOptions runner_options(const Settings& settings) {
  RunnerOptions options;
  options.cluster = settings.links.cluster;
  options.worker = settings.core.self;
  options.address = settings.core.address;
  options.state_folder = settings.state_folder;
  options.upgrade = settings.upgrade;
  options.tls = settings.room_tls;
  options.users = settings.users;
  options.engine_socket = settings.engine_socket;
  options.kubernetes = settings.kubernetes;
  options.first_port = settings.first_port;
  options.last_port = settings.last_port;
  for (const GameDescription& game : settings.games) {
    options.limits.push_back(game.launch.game.limits);
    options.most_ports =
        std::max(options.most_ports, kubernetes::ports_of_room(game.launch.pod).size());
    options.fleets.insert(options.fleets.end(), game.launch.fleets.begin(),
                          game.launch.fleets.end());
    if (!game.launch.container.image.empty()) options.images.push_back(game.launch.container.image);
  }
  return options;
}

std::vector<net::LinkTarget> dialled_by(const Settings& settings) {
  std::vector<net::LinkTarget> targets;
  for (const MasterAddress& master : settings.masters) {
    targets.push_back({to_string(master.id), master.address.host, master.address.port});
  }
  return targets;
}

config::Program<Settings> program() {
  return {"fixkeep-worker",
          "runs rooms, and says which of their seats are free",
          obs::version(),
          load_settings,
          to_json,
          settings_schema,
          "takes the place of the worker that runs with this state folder, and goes on with its "
          "games",
          [](const Settings& settings) -> const Problems& { return settings.doubts; }};
}

}  // namespace fixkeep::worker
