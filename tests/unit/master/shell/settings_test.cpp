#include "master/shell/settings.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "common/config/retired.hpp"
#include "common/net/otlp/exporter.hpp"
#include "tests/unit/master/shell/settings_files.hpp"

namespace fixkeep::master {
namespace {

using config::CommandLine;
using config::Json;
using config::Problems;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MasterSettings, accept_the_example) {
  const auto loaded = load("configs/master.json");
  ASSERT_THAT(lines(loaded), IsEmpty());
  const auto& settings = std::get<Settings>(loaded);
  EXPECT_EQ(settings.core.self, MasterId{1});
  EXPECT_EQ(settings.core.zone, ZoneName{"a"});
  EXPECT_EQ(settings.http.port, 8101);
  EXPECT_EQ(settings.links.cluster, "local");
  EXPECT_EQ(settings.links.secret, "an-example-secret-for-the-local-cluster");
  EXPECT_EQ(settings.links.self.name, "m1");
  EXPECT_THAT(settings.links.known_masters, ElementsAre("m2", "m3"));
  EXPECT_EQ(settings.log.node, "m1");
  ASSERT_EQ(settings.masters.size(), 3U);
  EXPECT_EQ(settings.masters[2].address, (config::Address{"127.0.0.1", 7103}));
  EXPECT_THAT(
      settings.modes,
      ElementsAre(Mode{ModeName{"duel"}, 8, {"region", "version"}, {Band{"skill", {1000, 1200}}}}));
}

TEST(MasterSettings, take_little_and_fill_in_the_rest) {
  const auto loaded = load(minimal);
  ASSERT_THAT(lines(loaded), IsEmpty());
  const auto& settings = std::get<Settings>(loaded);
  EXPECT_EQ(settings.links.listen_address, "::1");
  EXPECT_EQ(settings.links.listen_port, 7102);
  EXPECT_THAT(settings.core.locks.peers, ElementsAre(MasterId{1}, MasterId{3}));
  EXPECT_EQ(settings.core.locks.self, MasterId{2});
}

// A default stands in the schema, for people, and in the options, for the code: they are the same.
TEST(MasterSettings, have_the_defaults_of_the_options) {
  const config::Schema schema{settings_schema()};
  const Json options = to_json(Settings{});
  int compared = 0;
  for (const auto& leaf : schema.leaves()) {
    if (!leaf.schema->contains("default")) continue;
    const Json* value = config::find(options, leaf.key);
    ASSERT_NE(value, nullptr) << leaf.key;
    EXPECT_EQ(*value, leaf.schema->at("default")) << leaf.key;
    ++compared;
  }
  EXPECT_GE(compared, 28);
}

// The limits of time_limits.hpp without a distance, too.
TEST(MasterSettings, give_the_parts_the_defaults_of_their_options) {
  const auto loaded = load(minimal);
  ASSERT_THAT(lines(loaded), IsEmpty());
  const auto& settings = std::get<Settings>(loaded);
  const MasterOptions core;
  EXPECT_EQ(settings.core.worker_reply, core.worker_reply);
  EXPECT_EQ(settings.core.await_workers, core.await_workers);
  const lock::LockTableOptions locks;
  EXPECT_EQ(settings.core.locks.join_grace, locks.join_grace);
  EXPECT_EQ(settings.core.locks.lease, locks.lease);
  EXPECT_EQ(settings.core.locks.wait, locks.wait);
  EXPECT_EQ(settings.engine.reply, engine::EngineOptions{}.reply);
  EXPECT_EQ(settings.engine.ttl, settings.core.locks.lease);
  EXPECT_EQ(settings.links.heartbeat_timeout, net::LinkOptions{}.heartbeat_timeout);
  EXPECT_EQ(settings.links.handshake_timeout, net::LinkOptions{}.handshake_timeout);
}

// What is said of a key that is no longer one is what the parts do.
TEST(MasterSettings, that_are_none_any_more_are_as_it_is_said) {
  const auto in_ms = [](auto duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  };
  const Settings made;
  const auto& admin = made.admin.http;
  const auto& links = made.links;
  const std::map<std::string_view, std::int64_t> values{
      {"admin.body_bytes", admin.body_bytes},
      {"admin.connections", admin.connections},
      {"admin.connections_per_address", admin.connections_per_address},
      {"admin.header_bytes", admin.header_bytes},
      {"admin.idle_timeout_ms", in_ms(admin.idle_timeout)},
      {"admin.request_timeout_ms", in_ms(admin.request_timeout)},
      {"http.body_bytes", made.http.body_bytes},
      {"http.header_bytes", made.http.header_bytes},
      {"http.request_timeout_ms", in_ms(made.http.request_timeout)},
      {"identity.keys[].waiting_requests", ApiKeyOptions{}.limits.waiting},
      {"identity.tokens.leeway_ms", made.identity.rules.leeway.count()},
      {"lock.idle_ms", in_ms(made.core.locks.idle)},
      {"lock.keys", made.core.locks.keys},
      {"lock.retry_ms", in_ms(made.engine.retry)},
      {"matching.spawn_attempts", made.core.spawn_attempts},
      {"matching.starting_rooms_per_group", made.core.starting_rooms_per_group},
      {"matching.waiting_requests", made.core.waiting_requests},
      {"matching.waiting_requests_per_group", made.core.waiting_requests_per_group},
      {"mesh.heartbeat_ms", in_ms(links.heartbeat_interval)},
      {"mesh.links", links.links},
      {"mesh.pending_handshakes", links.pending_handshakes},
      {"mesh.reconnect_first_ms", in_ms(links.reconnect_first)},
      {"mesh.reconnect_most_ms", in_ms(links.reconnect_most)},
      {"mesh.send_queue_bytes", links.send_queue_bytes},
      {"modes[].rules.passes", plan::Rules{}.passes},
      {"modes[].rules_shadow.passes", plan::Rules{}.passes},
      {"tracing.queue", net::OtlpOptions{}.queue}};
  for (const auto& [key, now] : config::retired_keys()) {
    if (now.back() > '9' || key.starts_with("rooms.") || key.starts_with("games[")) continue;
    ASSERT_TRUE(values.contains(key)) << key;
    EXPECT_EQ(now, "it is " + std::to_string(values.at(key))) << key;
  }
  EXPECT_THAT(config::why_retired("matching.starting_rooms_per_client").value_or(""),
              HasSubstr("(" + std::to_string(made.core.starting_rooms_per_client) + " start"));
}

TEST(MasterSettings, wait_as_long_as_the_distance_takes) {
  using std::chrono::milliseconds;
  Files files;
  const auto loaded = load(minimal, {"network.round_trip_ms=80", "lock.lease_ms=6000"});
  ASSERT_THAT(lines(loaded), IsEmpty());
  const auto& settings = std::get<Settings>(loaded);
  EXPECT_EQ(settings.core.worker_reply, milliseconds{2400});
  EXPECT_EQ(settings.core.await_workers, milliseconds{1400});
  EXPECT_EQ(settings.core.locks.join_grace, milliseconds{5400});
  EXPECT_EQ(settings.core.locks.lease, milliseconds{6000}) << "as it was chosen";
  EXPECT_EQ(settings.core.locks.wait, milliseconds{14'000});
  EXPECT_EQ(settings.engine.reply, milliseconds{1400});
  EXPECT_EQ(settings.engine.ttl, milliseconds{6000});
  EXPECT_EQ(settings.links.heartbeat_timeout, milliseconds{1900});
  EXPECT_EQ(settings.links.handshake_timeout, milliseconds{2400});
  EXPECT_EQ(to_json(settings)["network"]["round_trip_ms"], 80);
  EXPECT_EQ(to_json(settings)["mesh"]["heartbeat_timeout_ms"], 1900);
  // What is printed for the greatest distance can be taken as it is.
  const auto far = load(minimal, {"network.round_trip_ms=20000"});
  ASSERT_THAT(lines(far), IsEmpty());
  auto printed = to_json(std::get<Settings>(far));
  printed["cluster"]["secret"] = "0123456789abcdef";
  EXPECT_THAT(lines(load(files.write("printed.json", printed.dump()))), IsEmpty());
}

// What is read is what is shown: no key of the schema is forgotten in one of the two directions.
TEST(MasterSettings, show_every_key_as_it_was_given) {
  const config::Schema schema{settings_schema()};
  CommandLine line;
  line.file = "configs/master.json";
  for (const auto& leaf : schema.leaves()) {
    const auto& type = leaf.schema->at("type");
    if (type == "integer" && leaf.schema->contains("default")) {
      const auto changed = leaf.schema->at("default").get<std::int64_t>() + 1;
      line.settings.push_back(leaf.key + "=" + std::to_string(changed));
    } else if (leaf.schema->contains("enum")) {
      line.settings.push_back(leaf.key + "=" + leaf.schema->at("enum").back().get<std::string>());
    }
  }
  for (const auto& choice : time_limits::choices) {  // they have no default
    line.settings.push_back(std::string{choice.key} + "=12345");
  }
  Problems problems;
  auto document = config::load_document(line, {}, schema, problems);
  ASSERT_TRUE(document && problems.empty());
  document->root()["cluster"].erase("secret");
  document->root()["admin"].erase("token");
  EXPECT_EQ(to_json(read_settings(*document, "the secret")), document->root());
}

TEST(MasterSettings, take_the_values_that_an_attribute_may_have) {
  Files files;
  const std::string head = R"({
    "cluster": {"id": "c", "secret": "0123456789abcdef"},
    "master": {"id": 1, "zone": "a"}, "http": {"port": 8101},
    "mesh": {"listen": "[::1]:7102", "masters": [{"id": 1, "address": "127.0.0.1:7101"}]},
    "modes": [{"name": "duel", "capacity": 2, "attributes": ["region", "version"],
)";
  const auto loaded =
      load(files.write("m.json", head + R"("values": {"region": ["eu", "us"]}}]})"));
  ASSERT_THAT(lines(loaded), IsEmpty());
  const auto& mode = std::get<Settings>(loaded).modes[0];
  EXPECT_THAT(mode.attributes, ElementsAre("region", "version"));
  EXPECT_THAT(mode.values.at("region"), ElementsAre("eu", "us"));
  EXPECT_EQ(mode.values.size(), 1U);
}

TEST(MasterSettings, say_what_makes_a_master_ready) {
  EXPECT_EQ(std::get<Settings>(load(minimal)).ready_requires, ReadyRequires{});
  const auto loaded = load(minimal, {"http.ready_requires=[\"mesh\",\"workers\"]"});
  ASSERT_THAT(lines(loaded), IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).ready_requires, (ReadyRequires{true, true}));
}

TEST(MasterSettings, allow_origins_of_players_pages_and_of_nobody_else) {
  EXPECT_THAT(std::get<Settings>(load(minimal)).http.allowed_origins, IsEmpty());
  const std::vector<std::string> origins{"https://play.example", "http://127.0.0.1:8000",
                                         "http://[::1]:8000", "capacitor://localhost", "*"};
  const auto allow = [&](const config::Json& list) {
    return load(minimal, {"http.allowed_origins=" + list.dump()});
  };
  const auto loaded = allow(origins);
  ASSERT_THAT(lines(loaded), IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).http.allowed_origins, origins);
  EXPECT_THAT(std::get<Settings>(loaded).admin.http.allowed_origins, IsEmpty());
  EXPECT_EQ(to_json(std::get<Settings>(loaded)).at("http").at("allowed_origins"), origins);
}

TEST(MasterSettings, say_how_long_a_master_that_ends_serves_on) {
  EXPECT_EQ(std::get<Settings>(load(minimal)).stop_delay, Duration{0});
  const auto loaded = load(minimal, {"http.stop_delay_ms=15000"});
  ASSERT_THAT(lines(loaded), IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).stop_delay, std::chrono::milliseconds{15'000});
}

TEST(MasterSettings, come_from_the_environment_alone) {
  const auto loaded = load(
      "", {},
      {"FIXKEEP_CLUSTER_ID=c", "FIXKEEP_CLUSTER_SECRET=0123456789abcdef", "FIXKEEP_MASTER_ID=1",
       "FIXKEEP_MASTER_ZONE=a", "FIXKEEP_HTTP_PORT=8101", "FIXKEEP_MESH_LISTEN=127.0.0.1:7101",
       R"(FIXKEEP_MESH_MASTERS=[{"id":1,"address": "127.0.0.1:7101"}])",
       "FIXKEEP_LOCK_STRATEGY=none", R"(FIXKEEP_MODES=[{"name":"duel","capacity":2}])"});
  ASSERT_THAT(lines(loaded), IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).core.locks.strategy, "none");
}

TEST(MasterSettings, read_the_secret_from_a_file) {
  Files files;
  const auto secret = files.write("secret", "  a secret in a file of its own \n");
  const auto absolute = load(minimal, {"cluster.secret_file=" + secret});
  ASSERT_THAT(lines(absolute), IsEmpty());
  EXPECT_EQ(std::get<Settings>(absolute).links.secret, "a secret in a file of its own");

  std::ostringstream example;
  example << std::ifstream{minimal}.rdbuf();
  std::string text = example.str();
  text.replace(text.find("\"secret\": \"0123456789abcdef\""), 28, "\"secret_file\": \"secret\"");
  const auto relative = load(files.write("r.json", text));
  ASSERT_THAT(lines(relative), IsEmpty());
  EXPECT_EQ(std::get<Settings>(relative).links.secret, "a secret in a file of its own");

  files.write("short", "\n short \n");
  EXPECT_THAT(lines(load(minimal, {"cluster.secret_file=" + files.folder() + "short"})),
              ElementsAre(HasSubstr("must be a file with a secret of at least 16 characters")));
}

TEST(MasterSettings, never_show_the_secret) {
  const auto loaded = load("configs/master.json");
  EXPECT_THAT(to_json(std::get<Settings>(loaded)).dump(), ::testing::Not(HasSubstr("an-example")));
}

// --- program() ----------------------------------------------------------------------------------

struct Started {
  std::variant<Settings, config::ExitCode> result;
  std::string out;
  std::string err;
  [[nodiscard]] int exit_code() const {
    const auto* code = std::get_if<config::ExitCode>(&result);
    return code == nullptr ? -1 : code->code;
  }
};

Started run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "fixkeep-master");
  std::ostringstream out;
  std::ostringstream err;
  auto result = program().start(static_cast<int>(arguments.size()), arguments.data(), out, err);
  return {std::move(result), out.str(), err.str()};
}

TEST(MasterStart, gives_settings_or_an_exit_code) {
  EXPECT_EQ(run({"--config", "configs/master.json"}).exit_code(), -1);

  const auto checked = run({"--config", "configs/master.json", "--set", "mesh.listen=127.0.0.1:0",
                            "--set", "http.port=0", "--set", "admin.port=0", "--check"});
  EXPECT_EQ(checked.exit_code(), 0);
  EXPECT_EQ(checked.out, "configuration is valid\n");

  // Ports of the example that somebody else has: told with the reason.
  boost::asio::io_context context;
  const boost::asio::ip::tcp::acceptor taken{context, {boost::asio::ip::address_v4::loopback(), 0}};
  const auto address = "127.0.0.1:" + std::to_string(taken.local_endpoint().port());
  const auto listen = "mesh.listen=" + address;
  const auto in_use = run({"--config", "configs/master.json", "--set", listen.c_str(), "--set",
                           "http.port=0", "--set", "admin.port=0", "--check"});
  EXPECT_EQ(in_use.exit_code(), 0) << "perhaps by the running node";
  EXPECT_THAT(in_use.err,
              HasSubstr("warning: --set mesh.listen: mesh.listen: cannot listen on " + address +
                        ": Address already in use; this is a mistake unless the node is "
                        "running\n"));
  EXPECT_THAT(
      run({"--config", "configs/master.json", "--set", "log.file=/no/such/log", "--set",
           "webhook.url=ftp://x", "--check"})
          .err,
      AllOf(HasSubstr("log.file: cannot be written to: "), HasSubstr("webhook.url: must be ")));

  EXPECT_EQ(
      run({"--config", "configs/master.json", "--set", "mesh.listen=127.0.0.1:0", "--set",
           "http.port=0", "--set", "admin.port=0", "--set", "log.file=/no/such/log", "--check"})
          .err,
      "--set log.file: log.file: cannot be written to: /no/such: No such file or directory\n");

  const auto printed = run({"--config", "configs/master.json", "--print"});
  EXPECT_EQ(printed.exit_code(), 0);
  EXPECT_EQ(Json::parse(printed.out)["http"]["port"], 8101);

  const auto wrong =
      run({"--config", "configs/master.json", "--set", "http.port=x", "--set", "lock.lease_ms=0",
           "--set", "mesh.listen=127.0.0.1:0", "--set", "admin.port=0", "--check"});
  EXPECT_EQ(wrong.exit_code(), 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err,
            "--set http.port: http.port: must be a whole number between 0 and 65535, is \"x\"\n"
            "--set lock.lease_ms: lock.lease_ms: must be a whole number between 100 and 600000, is "
            "0\n");

  EXPECT_EQ(run({"--nonsense"}).exit_code(), 2);
  EXPECT_EQ(run({"--config", "/nonexistent"}).err,
            "/nonexistent: cannot be read: No such file or directory\n");
  EXPECT_THAT(run({}).err, ::testing::StartsWith("there is no --config FILE"));
  EXPECT_THAT(run({"--version"}).out, ::testing::StartsWith("fixkeep-master 0."));
  EXPECT_EQ(run({"--help"}).exit_code(), 0);
}

}  // namespace
}  // namespace fixkeep::master
