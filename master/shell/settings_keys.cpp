#include <fmt/format.h>

#include "common/base/lock_strategies.hpp"
#include "common/net/http/http_settings.hpp"
#include "common/net/link/link_settings.hpp"
#include "common/node/settings.hpp"
#include "master/modes/mode_json.hpp"
#include "master/shell/identity_settings.hpp"
#include "master/shell/settings.hpp"

namespace fixkeep::master {
namespace {

using config::Fields;
using config::self;

constexpr std::int64_t ten_minutes_ms = 600'000;
constexpr std::int64_t rate_most = 1'000'000;

void describe_servers(Fields& fields, engine::EngineOptions& engine) {
  const auto describe_one = [&](engine::ServerAddress& server) {
    config::Address address{server.host, server.port};
    fields.address(self, address, "");
    if (fields.reads()) server = {address.host, address.port};
  };
  fields.list("servers", engine.servers, {0, 9},
              "The lock servers, each host:port. redis: one server; redlock: an odd number of "
              "independent servers; etcd and zookeeper: members of one ensemble; postgres: the "
              "primary and the servers that could become it; kubernetes-lease: one API server.",
              describe_one);
  fields.text("username", engine.username, {0, 200},
              "User name for lock.servers, if they require a user name. postgres: the role, and "
              "the database of the same name; default fixkeep. kubernetes-lease: the namespace; "
              "default that of the pod, or default.");
  fields.secret("password", {0, 500},
                "Password for lock.servers, if they require a password. Give this or "
                "password_file. kubernetes-lease: a bearer token; default that of the pod.");
  const auto in_tls = fields.section(
      "tls",
      "redis, redlock, etcd, postgres, kubernetes-lease: encrypts connections to lock.servers and "
      "checks each server's certificate. Without an authority, connections are not encrypted.");
  fields.path("authority", engine.tls_files.authority,
              "File with the certificates of the authorities of lock.servers, in PEM; a path "
              "relative to this file's folder is allowed.");
  fields.path("certificate", engine.tls_files.certificate,
              "File with the certificate that this master presents to servers that request a "
              "certificate, in PEM.");
  fields.path("key", engine.tls_files.key,
              "File with the private key of that certificate, in PEM. Only the file's owner "
              "and a group of this node may have read permission.");
}

void describe_lock(Fields& fields, Settings& settings) {
  auto& locks = settings.core.locks;
  std::vector<std::string> names;
  names.reserve(lock::strategies.size());
  for (const auto& each : lock::strategies) names.emplace_back(each.name);
  fields.word("strategy", locks.strategy, names,
              "The lock algorithm; docs/locks.md compares them. none: no lock, to demonstrate "
              "duplicate rooms.");
  describe_servers(fields, settings.engine);
  fields.time(config::maybe("lease_ms"), locks.lease, {100, ten_minutes_ms},
              "Longest hold of a group's lock. Default: 5000 plus 10 times network.round_trip_ms, "
              "but not below twice mesh.heartbeat_timeout_ms or twice matching.worker_reply_ms. "
              "Must be at least twice mesh.heartbeat_timeout_ms, and more than "
              "matching.worker_reply_ms.");
  fields.choice("fence", locks.always_fence, {{false, "on-change"}, {true, "always"}},
                "When a master asks all workers before it makes a room: after every change of the "
                "mesh, or before every room.");
}

void describe_clients(Fields& fields, Settings& settings) {
  fields.whole("waiting_requests_per_client", settings.client_limits.waiting,
               {1, 10'000'000, "requests"},
               "Most waiting requests of a client; further requests get 429. A client is a player "
               "with a token, or an address. All players behind a proxy, or behind a backend "
               "without a key, share one address.");
  fields.whole("requests_per_client_per_s", settings.client_limits.per_second,
               {0, rate_most, "requests per second"},
               "Most requests per second of a client, after a burst; further requests get 429. A "
               "client is a player with a token, or an address. 0: no limit.");
  fields.whole("rooms_per_client_per_minute", settings.core.rooms_per_client_per_minute,
               {0, rate_most, "rooms per minute"},
               fmt::format("Most rooms per minute that this master starts for one client address "
                           "(IPv6: its first 64 bits), after a burst. Rooms count even if no "
                           "player enters. A request that needs a further room gets 429. At most "
                           "{} of these rooms start at a time. 0: neither limit, for a proxy or a "
                           "backend that sends the requests of all players.",
                           MasterOptions{}.starting_rooms_per_client));
}

void describe_matching(Fields& fields, Settings& settings) {
  MasterOptions& core = settings.core;
  fields.choice("placement", core.placement,
                {{Placement::roomiest, "roomiest"}, {Placement::fullest, "fullest"}},
                "Which room with free seats is filled first.");
  fields.time("wait_ms", settings.match_wait, {100, config::hour_ms},
              "The default of wait_ms in requests, and its largest allowed value.");
  describe_clients(fields, settings);
  fields.time("room_start_ms", core.room_start, {50, config::day_ms},
              "Longest time to start a room. If a worker takes longer, it gets no orders for a "
              "while. Set more than the longest boot_timeout_ms of all workers.");
  fields.time("out_of_sight_ms", core.out_of_sight, {0, ten_minutes_ms},
              "A worker with a broken link may have free seats for a group. The master waits this "
              "long for the worker before it makes another room for the group. A longer time "
              "avoids extra rooms when workers restart, stop or lose their network. If a machine "
              "is lost for good, the group's players wait this long. 0: no wait.");
  fields.time(config::maybe("worker_reply_ms"), core.worker_reply, {50, ten_minutes_ms},
              "Time limit for the answer of a worker. A late worker gets no orders until it "
              "answers. A worker is down if it answers nothing, or only newer questions, for four "
              "times this limit. Default: 2000 plus 5 times network.round_trip_ms. Must be at "
              "least 50 plus two round trips.");
}

void describe_http(Fields& fields, Settings& settings) {
  net::describe_http(fields, settings.http);
  auto& required = settings.ready_requires;
  fields.words("ready_requires", {{"mesh", required.mesh}, {"workers", required.workers}},
               "Further conditions for GET /readyz, after the master has joined the cluster. mesh: "
               "a link to another master; workers: a link to a worker.");
  fields.time("stop_delay_ms", settings.stop_delay, {0, ten_minutes_ms},
              "After SIGTERM, GET /readyz answers 503, but the master serves for this time, so "
              "that load balancers can react. A second SIGTERM ends the delay. 0: no delay.");
}

void describe_mesh(Fields& fields, Settings& settings) {
  config::Address listen{settings.links.listen_address, settings.links.listen_port};
  fields.address(config::always("listen"), listen,
                 "The address and port to which other masters and workers connect.");
  if (fields.reads()) {
    settings.links.listen_address = listen.host;
    settings.links.listen_port = listen.port;
  }
  net::describe_masters(fields, settings.masters,
                        "All masters of the cluster, including this master; the same list in every "
                        "master's file. SIGHUP adds or removes one master.");
  net::describe_heartbeat(fields, settings.links);
}

void describe_tracing(Fields& fields, TracingSettings& tracing) {
  fields.text(
      "otlp_endpoint", tracing.otlp_endpoint, {0, 1024},
      "The collector's URL for OTLP over HTTP in JSON: \"http://127.0.0.1:4318/v1/traces\". "
      "Empty: no spans.");
  fields.share("sample", tracing.sample,
               "The share of requests without traceparent that begin a trace. With traceparent, "
               "the client decides.");
}

}  // namespace

void describe(Fields& fields, Settings& settings) {
  constexpr std::size_t zone_most = 128;
  {
    const auto in_master = fields.section("master", "The identity of this master.");
    fields.whole(config::always("id"), settings.core.self, {1, 255},
                 "The number of this master, as in mesh.masters.");
    fields.text(config::always("zone"), settings.core.zone, config::name_text(zone_most),
                "The availability zone of this node.");
  }
  {
    const auto in_http = fields.section("http", "The listener for players.");
    describe_http(fields, settings);
  }
  describe_identity(fields, settings.identity);
  {
    const auto in_admin = fields.section(
        "admin", "The listener for operators: state, events and metrics. Players use http.");
    net::describe_admin(fields, settings.admin, "Port to listen on; 0: no listener for operators.");
  }
  net::describe_cluster(fields, settings.links, settings.round_trip);
  {
    const auto in_mesh =
        fields.section("mesh", "The links to the other masters and to the workers.");
    describe_mesh(fields, settings);
  }
  {
    const auto in_lock =
        fields.section("lock", "The lock that lets only one master make a room at a time.");
    describe_lock(fields, settings);
  }
  {
    const auto in_matching = fields.section("matching", "How the master finds rooms for requests.");
    describe_matching(fields, settings);
  }
  {
    const auto in_tickets =
        fields.section("tickets", "Tickets: match requests that need no open connection.");
    fields.time("keep_ms", settings.ticket_keep, {1000, ten_minutes_ms},
                "How long a ticket waits without a poll. Then its players get no seat until the "
                "next poll. Set more than the longest time that your clients need to connect "
                "again. With a longer time, more seats are found for players that are gone.");
  }
  fields.list(config::always("modes"), settings.modes, {1, 256},
              "The game modes that players can request.",
              [&](Mode& mode) { master::describe(fields, mode); });
  describe_events(fields, settings.events_kept);
  {
    const auto in_tracing = fields.section("tracing",
                                           "Spans of match requests for an OpenTelemetry "
                                           "collector. Without a collector, traceparent is "
                                           "still accepted and forwarded.");
    describe_tracing(fields, settings.tracing);
  }
  {
    const auto in_webhook =
        fields.section("webhook", "Tells a service the results of rooms, and more.");
    fields.text("url", settings.webhook.url, {0, 1024},
                "This master posts events to this URL: \"https://api.example:443/events\". For "
                "https, an authority of this machine must have "
                "signed the service's certificate. Empty: no webhook.");
    fields.words(
        "also",
        {{"ticket-state", settings.webhook.tickets}, {"match-state", settings.webhook.matches}},
        "Events to post beside results (docs/api.md): states of the tickets of services, "
        "and of the rooms of matches that services have made.");
    fields.secret("secret", {16, 500},
                  "Signs the posts. Give this or secret_file; required with url.");
  }
  describe_log(fields, settings.log);
}

}  // namespace fixkeep::master
