#include "master/shell/settings.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

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
  EXPECT_EQ(settings.links.heartbeat_timeout, std::chrono::milliseconds{2000});
  EXPECT_THAT(settings.links.known_masters, ElementsAre("m2", "m3"));
  EXPECT_EQ(settings.log.node, "m1");
  ASSERT_EQ(settings.masters.size(), 3U);
  EXPECT_EQ(settings.masters[2].address, (config::Address{"127.0.0.1", 7103}));
  EXPECT_THAT(
      settings.modes,
      ElementsAre(Mode{ModeName{"duel"}, 8, {"region", "version"}, {Band{"skill", {1000, 1200}}}}));
}

TEST(MasterSettings, take_little_and_fill_in_the_rest) {
  Files files;
  const auto loaded = load(files.write("m.json", minimal));
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
  Problems problems;
  auto document = config::load_document(line, {}, schema, problems);
  ASSERT_TRUE(document && problems.empty());
  document->root()["cluster"].erase("secret");
  document->root()["admin"].erase("token");
  EXPECT_EQ(to_json(read_settings(*document, "the secret")), document->root());
}

// The line numbers in the test below are those of this text.
constexpr const char* everything_wrong = R"({
  "cluster": { "id": "a b", "secret": "too short" },
  // 7 is not among the masters.
  "master": { "id": 7 },
  "http": { "port": 70000, "prot": 1, "idle_timeout_ms": "60 s" },
  "mesh": {
    "listen": "127.0.0.1:99999",
    "masters": [
      { "id": 1, "address": "127.0.0.1:7101" },
      { "id": 1, "address": "127.0.0.1" },
      { "id": 2, "address": "127.0.0.1:0" },
      { "id": 3, "address": "127.0.0.1:7101" }
    ],
    "heartbeat_ms": 1000,
    "heartbeat_timeout_ms": 2000,
    "reconnect_first_ms": 5000
  },
  "lock": { "strategy": "multifase", "lease_ms": 2000 },
  "matching": { "placement": "best", "waiting_requests": 10, "waiting_requests_per_group": 11 },
  "modes": [
    { "name": "duel", "capacity": 0 },
    { "name": "duel", "capacity": 4, "attributes": ["region", "skill", "region"],
      "bands": [
        { "attribute": "skill", "edges": [1000, 1200, 1200] },
        { "attribute": "skill", "edges": [] }
      ] },
    { "name": "solo", "capacity": 1, "attributes": ["skill"],
      "bands": [{ "attribute": "skill", "edges": [1,
         3,
         2] }] }
  ]
})";

TEST(MasterSettings, report_every_bad_field_with_its_line) {
  Files files;
  const auto file = files.write("m.json", everything_wrong);
  auto found = lines(load(file));
  for (auto& line : found) {
    ASSERT_TRUE(line.starts_with(files.folder())) << line;
    line.erase(0, files.folder().size());
  }
  EXPECT_THAT(
      found,
      ElementsAre(
          "m.json:2: cluster.id: must be a name of up to 64 letters, digits, \".\", \"_\" and "
          "\"-\", is \"a b\"",
          "m.json:2: cluster.secret: must be a text of 16 to 1024 characters, is a secret of 9 "
          "characters",
          "m.json:4: master.zone: is missing: must be a name of up to 128 letters, digits, \".\", "
          "\"_\" and \"-\"",
          "m.json:5: http.idle_timeout_ms: must be a whole number between 100 and 86400000, is "
          "\"60 s\"",
          "m.json:5: http.port: must be a whole number between 0 and 65535, is 70000",
          "m.json:5: http.prot: is not a known key; did you mean \"port\"?",
          "m.json:6: mesh.reconnect_most_ms: must be at least mesh.reconnect_first_ms (5000), is "
          "1000",
          "m.json:7: mesh.listen: must have a port between 0 and 65535, is \"127.0.0.1:99999\"",
          "m.json:10: mesh.masters[1].address: must be an address of the form host:port or "
          "[v6]:port, is \"127.0.0.1\"",
          "m.json:10: mesh.masters[1].id: must be unique, is 1 as in mesh.masters[0]",
          "m.json:11: mesh.masters[2].address: must have a port between 1 and 65535, is "
          "\"127.0.0.1:0\"",
          "m.json:12: mesh.masters[3].address: must be unique, is \"127.0.0.1:7101\" as in "
          "mesh.masters[0]",
          "m.json:15: mesh.heartbeat_timeout_ms: must be more than twice mesh.heartbeat_ms (1000), "
          "is 2000",
          "m.json:18: lock.strategy: must be \"multiphase\", \"lamport\", \"ricart-agrawala\", "
          "\"maekawa\", \"coordinator\", \"two-phase\", \"redis\", \"redlock\", \"etcd\", "
          "\"zookeeper\" or \"none\", is \"multifase\"; did you mean \"multiphase\"?",
          "m.json:18: lock.lease_ms: must be more than matching.worker_reply_ms (2000), is 2000: a "
          "holder waits for its workers",
          "m.json:19: matching.placement: must be \"roomiest\" or \"fullest\", is \"best\"",
          "m.json:19: matching.waiting_requests_per_group: must be at most "
          "matching.waiting_requests (10), is 11",
          "m.json:21: modes[0].capacity: must be a whole number between 1 and 10000, is 0",
          "m.json:22: modes[1].attributes[2]: must stand in the list once only, is \"region\" "
          "again",
          "m.json:22: modes[1].name: must be unique, is \"duel\" as in modes[0]",
          "m.json:25: modes[1].bands[1].edges: must be a list of 1 to 100 entries, is a list of 0 "
          "entries",
          "m.json:25: modes[1].bands[1].attribute: must be unique, is \"skill\" as in "
          "modes[1].bands[0]",
          "m.json:28: modes[2].bands[0].attribute: must not stand in modes[2].attributes too, is "
          "\"skill\"",
          "m.json:30: modes[2].bands[0].edges[2]: must be more than the edge before it (3), is 2"));
}

TEST(MasterSettings, want_a_lease_that_outlasts_the_heartbeats_twice) {
  Files files;
  const auto file = files.write("m.json", minimal);
  EXPECT_THAT(lines(load(file, {"lock.lease_ms=3000", "mesh.heartbeat_timeout_ms=1500"})),
              IsEmpty());
  EXPECT_THAT(
      lines(load(file, {"lock.lease_ms=2999", "mesh.heartbeat_timeout_ms=1500"})),
      ElementsAre("--set lock.lease_ms: lock.lease_ms: must be at least twice "
                  "mesh.heartbeat_timeout_ms (1500), is 2999: a node that vanished has to be "
                  "noticed well within a lease; raise this or lower the timeout"));
}

TEST(MasterSettings, wait_for_workers_as_long_as_these_may_pause) {
  Files files;
  const auto file = files.write("m.json", minimal);
  const auto loaded = load(file, {"matching.worker_settle_ms=5000", "mesh.reconnect_most_ms=5000"});
  ASSERT_THAT(lines(loaded), IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).core.await_workers, Duration{std::chrono::seconds{5}});
  EXPECT_THAT(lines(load(file, {"mesh.reconnect_most_ms=5000"})),
              ElementsAre(HasSubstr("matching.worker_settle_ms: must be at least "
                                    "mesh.reconnect_most_ms (5000), is 1000: a worker may pause")));
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
  EXPECT_THAT(lines(load(files.write("n.json", head + R"("values": {"regoin": ["eu"]}}]})"))),
              ElementsAre(HasSubstr("n.json:6: modes[0].values.regoin: must name one of "
                                    "modes[0].attributes")));
}

TEST(MasterSettings, say_what_makes_a_master_ready) {
  Files files;
  const auto file = files.write("m.json", minimal);
  EXPECT_EQ(std::get<Settings>(load(file)).ready_requires, ReadyRequires{});
  const auto loaded = load(file, {"http.ready_requires=[\"mesh\",\"workers\"]"});
  ASSERT_THAT(lines(loaded), IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).ready_requires, (ReadyRequires{true, true}));
  EXPECT_THAT(lines(load(file, {"http.ready_requires=[\"locks\"]"})),
              ElementsAre(HasSubstr("must be \"mesh\" or \"workers\", is \"locks\"")));
}

TEST(MasterSettings, allow_origins_of_players_pages_and_of_nobody_else) {
  Files files;
  const auto file = files.write("m.json", minimal);
  EXPECT_THAT(std::get<Settings>(load(file)).http.allowed_origins, IsEmpty());
  const std::vector<std::string> origins{"https://play.example", "http://127.0.0.1:8000",
                                         "http://[::1]:8000", "capacitor://localhost", "*"};
  const auto allow = [&](const config::Json& list) {
    return load(file, {"http.allowed_origins=" + list.dump()});
  };
  const auto loaded = allow(origins);
  ASSERT_THAT(lines(loaded), IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).http.allowed_origins, origins);
  EXPECT_THAT(std::get<Settings>(loaded).admin.http.allowed_origins, IsEmpty());
  EXPECT_EQ(to_json(std::get<Settings>(loaded)).at("http").at("allowed_origins"), origins);
  for (const char* wrong :
       {"https://play.example/", "https://Play.example", "play.example", "null", "", "**",
        "https://*.play.example", "https://play.example:443", "http://play.example:80",
        "https://a@play.example", "https://play.example:", "http://play.example\r\nX: y"}) {
    EXPECT_THAT(lines(allow({wrong})), ElementsAre(HasSubstr("http.allowed_origins[0]: must be")))
        << wrong;
  }
}

TEST(MasterSettings, say_how_long_a_master_that_ends_serves_on) {
  Files files;
  const auto file = files.write("m.json", minimal);
  EXPECT_EQ(std::get<Settings>(load(file)).stop_delay, Duration{0});
  const auto loaded = load(file, {"http.stop_delay_ms=15000"});
  ASSERT_THAT(lines(loaded), IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).stop_delay, std::chrono::milliseconds{15'000});
  EXPECT_THAT(lines(load(file, {"http.stop_delay_ms=600001"})),
              ElementsAre(HasSubstr("http.stop_delay_ms: must be")));
}

TEST(MasterSettings, say_what_is_missing_even_if_everything_is) {
  EXPECT_THAT(
      lines(load("")),
      ElementsAre(HasSubstr("modes: is missing"), HasSubstr("cluster.id: is missing"),
                  HasSubstr("http.port: is missing"), HasSubstr("master.id: is missing"),
                  HasSubstr("master.zone: is missing"), HasSubstr("mesh.listen: is missing"),
                  HasSubstr("mesh.masters: is missing"), HasSubstr("cluster.secret: is missing")));
}

TEST(MasterSettings, want_this_master_among_the_masters) {
  EXPECT_THAT(lines(load("configs/master.json", {"master.id=4"})),
              ElementsAre("--set master.id: master.id: must be one of mesh.masters "
                          "(configs/master.json:26), is 4"));
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
  const auto config = files.write("m.json", minimal);
  const auto absolute = load(config, {"cluster.secret_file=" + secret});
  ASSERT_THAT(lines(absolute), IsEmpty());
  EXPECT_EQ(std::get<Settings>(absolute).links.secret, "a secret in a file of its own");

  std::string text = minimal;
  text.replace(text.find("\"secret\": \"0123456789abcdef\""), 28, "\"secret_file\": \"secret\"");
  const auto relative = load(files.write("r.json", text));
  ASSERT_THAT(lines(relative), IsEmpty());
  EXPECT_EQ(std::get<Settings>(relative).links.secret, "a secret in a file of its own");

  files.write("short", "\n short \n");
  EXPECT_THAT(lines(load(config, {"cluster.secret_file=" + files.folder() + "short"})),
              ElementsAre(HasSubstr("must be a file with a secret of at least 16 characters")));
  EXPECT_THAT(lines(load(config, {"cluster.secret_file=/nonexistent"})),
              ElementsAre(HasSubstr("must be a file that can be read")));
  EXPECT_THAT(
      lines(load(config, {},
                 {"FIXKEEP_CLUSTER_SECRET=fedcba9876543210", "FIXKEEP_CLUSTER_SECRET_FILE=x"})),
      ElementsAre(HasSubstr("must not stand beside cluster.secret (environment variable "
                            "FIXKEEP_CLUSTER_SECRET)")));
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
                            "--set", "http.port=0", "--check"});
  EXPECT_EQ(checked.exit_code(), 0);
  EXPECT_EQ(checked.out, "configuration is valid\n");

  // Ports of the example that somebody else has: told with the reason.
  boost::asio::io_context context;
  const boost::asio::ip::tcp::acceptor taken{context, {boost::asio::ip::address_v4::loopback(), 0}};
  const auto address = "127.0.0.1:" + std::to_string(taken.local_endpoint().port());
  const auto listen = "mesh.listen=" + address;
  EXPECT_THAT(
      run({"--config", "configs/master.json", "--set", listen.c_str(), "--set", "http.port=0",
           "--check"})
          .err,
      "--set mesh.listen: mesh.listen: cannot listen on " + address + ": Address already in use\n");

  const auto printed = run({"--config", "configs/master.json", "--print"});
  EXPECT_EQ(printed.exit_code(), 0);
  EXPECT_EQ(Json::parse(printed.out)["http"]["port"], 8101);

  const auto wrong = run({"--config", "configs/master.json", "--set", "http.port=x", "--set",
                          "lock.wait_ms=0", "--set", "mesh.listen=127.0.0.1:0", "--check"});
  EXPECT_EQ(wrong.exit_code(), 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err,
            "--set http.port: http.port: must be a whole number between 0 and 65535, is \"x\"\n"
            "--set lock.wait_ms: lock.wait_ms: must be a whole number between 100 and 600000, is "
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
