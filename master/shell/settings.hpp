// The settings of a master: its checked configuration, as options for its parts.
//
// describe() defines the file and explains each key. The code here makes more
// checks: master.id is in mesh.masters. Ids, addresses and mode names are unique. Band edges
// ascend. Listed values belong to attributes. The configured times are safe
// (common/base/time_limits.hpp). The secret is valid. With --check, this machine can listen on the
// addresses.
//
// Thread rule: a value. Errors: config::Problems, all in one list, before any socket is opened.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/config/address.hpp"
#include "common/config/fields.hpp"
#include "common/config/loader.hpp"
#include "common/config/program.hpp"
#include "common/net/http/operators.hpp"
#include "common/net/link/hub.hpp"
#include "common/net/tls/server_trust.hpp"
#include "common/obs/log.hpp"
#include "lock/engines/engine.hpp"
#include "master/core/master_core.hpp"
#include "master/http/identity/client_limits.hpp"
#include "master/http/identity/options.hpp"
#include "master/http/readiness.hpp"
#include "master/modes/rules_file.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

struct MeshMember {
  MasterId id;
  config::Address address;

  friend bool operator==(const MeshMember&, const MeshMember&) = default;
};

struct TracingSettings {
  std::string otlp_endpoint;  // empty: no spans
  double sample = 1;
};

struct WebhookSettings {
  std::string url;  // empty: no webhook
  std::string secret;
  std::shared_ptr<net::ServerTrust> trust;  // trusted authorities of https
  bool tickets = false;
  bool matches = false;
};

// main() sets the values of this run, such as core.incarnation and links.self.incarnation.
struct Settings {
  MasterOptions core;            // core.locks included
  net::LinkOptions links;        // the cluster's id and secret included
  Duration round_trip{0};        // longest round trip between any two nodes
  engine::EngineOptions engine;  // no servers if the lock is in the masters
  net::HttpOptions http;         // server for players
  net::AdminOptions admin;       // server for operators
  IdentityOptions identity;      // identity of callers
  obs::LogOptions log;
  std::size_t events_kept = 0;
  std::vector<MeshMember> masters;  // all masters, this master included
  ClientLimitOptions client_limits;
  Duration match_wait{std::chrono::seconds{30}};   // default and longest wait of a request
  Duration ticket_keep{std::chrono::seconds{30}};  // how long a ticket waits without a poll
  std::vector<Mode> modes;
  ReadyRequires ready_requires;
  Duration stop_delay{0};  // time between the notice and the end of service
  TracingSettings tracing;
  WebhookSettings webhook;
  config::Problems doubts;  // legal settings that are probably mistakes
};

// Describes every key of a configuration file.
void describe(config::Fields& fields, Settings& settings);
// Returns the JSON schema of a configuration file.
[[nodiscard]] std::string_view settings_schema();

// REQUIRES: `document` is valid: load_settings() has found no problem.
[[nodiscard]] Settings read_settings(const config::Document& document, std::string secret);
[[nodiscard]] std::variant<Settings, config::Problems> load_settings(
    const config::CommandLine& line, const std::vector<std::string>& variables);

// Returns the settings in effect in the form of a configuration file, without the secret.
[[nodiscard]] config::Json to_json(const Settings& settings);

// Returns the program that main() starts.
[[nodiscard]] config::Program<Settings> program();

}  // namespace fixkeep::master
