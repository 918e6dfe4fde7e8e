// The settings of a master: its checked configuration as the options of its parts.
//
// configs/master.schema.json defines the file and explains each key. Further checks here: master.id
// is one of mesh.masters. Ids, addresses and mode names are unique. Band edges ascend. Listed
// values are of attributes. Chosen times are safe (common/base/time_limits.hpp). The secret is
// checked too. With --check also this machine: it can listen on the addresses.
//
// Thread rule: a value. Errors: config::Problems, all at once before any socket is opened.
#pragma once

#include <cstdint>
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

// main fills in what only this run knows: core.incarnation, links.self.incarnation.
struct Settings {
  MasterOptions core;            // core.locks included
  net::LinkOptions links;        // cluster's id and secret included
  Duration round_trip{0};        // the longest one between any two nodes
  engine::EngineOptions engine;  // no servers if the lock lives in the masters
  net::HttpOptions http;         // server for players
  net::AdminOptions admin;       // server for operators
  IdentityOptions identity;      // identity of callers
  obs::LogOptions log;
  std::size_t events_kept = 0;
  std::vector<MeshMember> masters;  // all of them, this one included
  ClientLimitOptions client_limits;
  Duration match_wait{std::chrono::seconds{30}};  // wait of a request, and the most it may ask for
  std::vector<Mode> modes;
  ReadyRequires ready_requires;
  Duration stop_delay{0};  // time from the notice of the end to the end of serving
  TracingSettings tracing;
  config::Problems doubts;  // legal settings that are probably mistakes
};

[[nodiscard]] std::string_view to_string(Placement placement);

// REQUIRES: `document` is valid: the second function has found no problem.
[[nodiscard]] Settings read_settings(const config::Document& document, std::string secret);
[[nodiscard]] std::variant<Settings, config::Problems> load_settings(
    const config::CommandLine& line, const std::vector<std::string>& variables);

// The settings in effect in the form of a configuration file without the secret.
[[nodiscard]] config::Json to_json(const Settings& settings);

// fixkeep-master as its main() starts it.
[[nodiscard]] config::Program<Settings> program();

}  // namespace fixkeep::master
