#include "master/shell/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/base/lock_strategies.hpp"
#include "common/config/listening.hpp"
#include "common/config/sections.hpp"
#include "common/net/configured_tls.hpp"
#include "common/net/http/url.hpp"
#include "common/obs/version.hpp"
#include "master/modes/mode_json.hpp"
#include "master/shell/identity_settings.hpp"
#include "master/shell/setting_checks.hpp"

namespace fixkeep::master {
namespace {

using config::CrossCheck;
using config::Document;
using config::Json;
using config::Problems;

void take_limits(const Document& document, Settings& settings) {
  Problems none;
  const auto limits = config::read_time_limits(document, none);
  config::take_limits(limits, settings.links);
  settings.engine.reply = limits.lock_reply;
  settings.core.worker_reply = limits.worker_reply;
  settings.core.await_workers = limits.await_workers;
  auto& locks = settings.core.locks;
  locks.join_grace = limits.join_grace;
  locks.lease = limits.lock_lease;
  locks.wait = limits.lock_wait;
}

// --- checks across fields ------------------------------------------------------------------------

void check_mesh(const Document& document, Problems& problems) {
  CrossCheck check{document, problems};
  if (check.can_judge({"mesh.listen"})) {
    const auto& text = config::find(document.root(), "mesh.listen")->get_ref<const std::string&>();
    if (!config::parse_address(text)) {
      check.report("mesh.listen", "must have a port between 0 and 65535, is \"" + text + "\"");
    }
  }
  if (!check.can_judge({"master.id", "mesh.masters"})) return;
  const Json& masters = *config::find(document.root(), "mesh.masters");
  const auto id = check.number("master.id");
  const auto is_own = [id](const Json& entry) { return entry.at("id") == id; };
  if (std::any_of(masters.begin(), masters.end(), is_own)) return;
  check.report("master.id", fmt::format("must be one of mesh.masters ({}), is {}",
                                        document.origin("mesh.masters").where, id));
}

void check_servers(const Document& document, Problems& problems) {
  CrossCheck check{document, problems};
  if (!check.can_judge({"lock.strategy", "lock.servers"})) return;
  const auto& name = config::find(document.root(), "lock.strategy")->get_ref<const std::string&>();
  const Json& servers = *config::find(document.root(), "lock.servers");
  const std::size_t count = servers.size();
  const auto is = fmt::format(", is {} of them", count);
  if (lock::find_strategy(name)->family != lock::Family::engine) {
    if (count == 0) return;
    check.report("lock.servers", "must be empty: " + name + " uses no server" + is);
  } else if (name == "redis" && count != 1) {
    check.report("lock.servers", "must be one server for redis (redlock takes several)" + is);
  } else if (name == "redlock" && (count < 3 || count % 2 == 0)) {
    check.report("lock.servers", "must be an odd number of servers, at least 3, for redlock" + is);
  } else if (name == "kubernetes-lease" && count > 1) {
    check.report("lock.servers", "must be one API server for kubernetes-lease" + is);
  } else if (count == 0) {
    check.report("lock.servers", "must name at least one server for " + name + is);
  }
  if (name == "zookeeper" && check.can_judge({"lock.tls.authority"}) &&
      !config::find(document.root(), "lock.tls.authority")->get_ref<const std::string&>().empty()) {
    check.report(
        "lock.tls.authority",
        "must be empty for zookeeper: its client library speaks no TLS; keep its servers on "
        "a network of their own");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto& text = servers[i].get_ref<const std::string&>();
    const auto address = config::parse_address(text);
    if (address && address->port > 0) continue;
    check.report(config::entry_key("lock.servers", i),
                 "must have a port between 1 and 65535, is \"" + text + "\"");
  }
}

void configure_webhook(const Document& document, WebhookSettings& webhook, Problems& problems,
                       Problems& doubts) {
  constexpr const char* authorities = "/etc/ssl/certs/ca-certificates.crt";
  const auto before = problems.size();
  webhook.secret = config::load_secret_at(document, "webhook.secret", problems).value_or("");
  if (webhook.url.empty()) {
    for (const std::string key : {"webhook.secret", "webhook.secret_file", "webhook.also"}) {
      if (!document.given(key)) continue;
      doubts.push_back(document.problem(key, "has no effect without webhook.url"));
    }
    return;
  }
  CrossCheck check{document, problems};
  const auto url = net::parse_http_url(webhook.url);
  if (!url) {
    return check.report("webhook.url",
                        "must be \"https://HOST:PORT/PATH\" or \"http://HOST:PORT/PATH\", is \"" +
                            webhook.url + "\"");
  }
  if (webhook.secret.empty() && problems.size() == before) {
    check.report("webhook.url",
                 "needs webhook.secret or webhook.secret_file, which signs the posts");
  }
  if (!url->https) return;
  auto trust = net::ServerTrust::load({.authority = authorities});
  if (auto* problem = std::get_if<std::string>(&trust)) {
    return check.report("webhook.url", "needs the authorities of this machine: " + *problem);
  }
  webhook.trust = std::get<std::shared_ptr<net::ServerTrust>>(std::move(trust));
}

// For --check: checks that this machine can write the log file and listen on the addresses.
void check_machine(const Document& document, Problems& problems, Problems& doubts) {
  config::check_log_file(document, problems);
  CrossCheck check{document, problems};
  const auto text = [&](const char* key) -> const std::string& {
    return config::find(document.root(), key)->get_ref<const std::string&>();
  };
  if (check.can_judge({"mesh.listen"})) {
    if (const auto address = config::parse_address(text("mesh.listen"))) {
      config::check_listening(document, "mesh.listen", *address, problems, doubts);
    }
  }
  for (const std::string section : {"http", "admin"}) {
    const std::string address = section + ".address";
    const std::string port = section + ".port";
    if (!check.can_judge({address, port})) continue;
    const config::Address at{text(address.c_str()), static_cast<std::uint16_t>(check.number(port))};
    config::check_listening(document, port, at, problems, doubts);
  }
}

}  // namespace

std::string_view settings_schema() {
  static const std::string schema = config::Fields::schema(
      "fixkeep-master configuration", "Configuration of fixkeep-master.", [](auto& fields) {
        Settings made;
        describe(fields, made);
      });
  return schema;
}

Settings read_settings(const Document& document, std::string secret) {
  Settings settings;
  take_limits(document, settings);
  auto fields = config::Fields::reading(document.root());
  describe(fields, settings);

  settings.http.connections_per_address = (settings.http.connections + 1) / 2;
  settings.client_limits.burst = burst_of(settings.client_limits.per_second);
  if (settings.core.rooms_per_client_per_minute == 0) {
    settings.core.starting_rooms_per_client = std::numeric_limits<std::uint32_t>::max();
  }
  settings.core.locks.self = settings.core.self;
  for (const MeshMember& member : settings.masters) {
    if (member.id == settings.core.self) continue;
    settings.core.locks.peers.push_back(member.id);
    settings.links.known_masters.push_back(to_string(member.id));
  }
  std::sort(settings.core.locks.peers.begin(), settings.core.locks.peers.end());

  auto& engine = settings.engine;
  engine.strategy = settings.core.locks.strategy;
  engine.self = settings.core.self;
  engine.cluster = settings.links.cluster;
  engine.ttl = settings.core.locks.lease;
  settings.links.secret = std::move(secret);
  settings.core.record_events = settings.events_kept > 0;
  settings.links.self = {net::Role::master, to_string(settings.core.self), {}};
  settings.log.node = settings.links.self.name;
  for (const Mode& mode : settings.modes) {
    if (mode.warm.most > 0)
      settings.core.modes.warm.push_back({mode.name, mode.capacity, mode.warm});
    if (mode.shadow) settings.core.modes.shadows[mode.name] = mode.shadow;
  }
  settings.core.modes.hash = hash_of(settings.modes);
  return settings;
}

std::variant<Settings, Problems> load_settings(const config::CommandLine& line,
                                               const std::vector<std::string>& variables) {
  static const config::Schema schema{settings_schema()};
  Problems problems;
  const auto document = config::load_document(line, variables, schema, problems);
  if (!document) return problems;
  std::string secret = load_secret(*document, problems);
  check_unique(*document, "mesh.masters", "id", problems);
  check_unique(*document, "mesh.masters", "address", problems);
  check_addresses(*document, "mesh.masters", problems);
  check_unique(*document, "modes", "name", problems);
  check_mesh(*document, problems);
  check_servers(*document, problems);
  check_bands(*document, problems);
  check_values(*document, problems);
  check_rules_of_modes(*document, problems);
  check_warm(*document, problems);
  check_codes(*document, secret, problems);
  static_cast<void>(config::read_time_limits(*document, problems));
  check_tracing(*document, problems);
  if (!problems.empty()) {
    sort(problems);
    return problems;
  }
  Settings settings = read_settings(*document, std::move(secret));
  settings.engine.password =
      config::load_secret_at(*document, "lock.password", problems, 1).value_or("");
  configure_webhook(*document, settings.webhook, problems, settings.doubts);
  std::vector<std::string> addresses{"mesh.listen"};
  for (std::size_t i = 0; i < settings.masters.size(); ++i) {
    addresses.push_back(config::entry_key("mesh.masters", i) + ".address");
  }
  net::configure_tls(*document, addresses, settings.links, problems);
  net::configure_https(*document, "http", settings.http, problems);
  net::configure_admin(*document, settings.admin, problems, settings.doubts);
  configure_identity(*document, settings.identity, problems, settings.doubts);
  settings.links.admits = admits_of(settings.identity);
  net::configure_lock_tls(*document, settings.engine.tls_files, settings.engine.tls, problems);
  if (line.check) {
    check_machine(*document, problems, settings.doubts);
    config::doubt_ports(*document, settings.doubts);
  }
  if (problems.empty()) return settings;
  sort(problems);
  return problems;
}

Json to_json(const Settings& settings) {
  Json shown = Json::object();
  Settings copy = settings;
  auto fields = config::Fields::writing(shown);
  describe(fields, copy);
  return shown;
}

config::Program<Settings> program() {
  return {"fixkeep-master",
          "gives players seats, and agrees with the other masters",
          obs::version(),
          load_settings,
          to_json,
          settings_schema,
          {},
          [](const Settings& settings) -> const Problems& { return settings.doubts; }};
}

}  // namespace fixkeep::master
