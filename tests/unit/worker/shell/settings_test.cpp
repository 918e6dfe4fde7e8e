#include "worker/shell/settings.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "worker/runner/runners.hpp"
#include "worker/shell/settings_keys.hpp"

namespace fixkeep::worker {
namespace {

using config::CommandLine;
using config::Json;
using config::Problems;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using Loaded = std::variant<Settings, Problems>;

Loaded load(std::vector<std::string> settings, std::vector<std::string> variables = {}) {
  return load_settings({.file = "configs/worker.json", .settings = std::move(settings)}, variables);
}

std::vector<std::string> lines(const Loaded& loaded) {
  std::vector<std::string> text;
  if (const auto* problems = std::get_if<Problems>(&loaded)) {
    for (const auto& problem : *problems) text.push_back(to_string(problem));
  }
  return text;
}

TEST(WorkerSettings, accept_the_example) {
  const auto loaded = load({});
  ASSERT_THAT(lines(loaded), IsEmpty());
  const auto& settings = std::get<Settings>(loaded);
  EXPECT_EQ(settings.core.self, WorkerId{"w1"});
  EXPECT_EQ(settings.core.address, "127.0.0.1");
  EXPECT_EQ(settings.first_port, 20'000);
  ASSERT_EQ(settings.core.modes.size(), 1U);
  EXPECT_EQ(settings.core.modes[0].name, ModeName{"duel"});
  EXPECT_EQ(settings.core.modes[0].boot_timeout, std::chrono::seconds{30});
  EXPECT_EQ(settings.links.self, (net::Node{net::Role::worker, "w1", {}}));
  EXPECT_THAT(settings.links.known_masters, ElementsAre("m1", "m2", "m3"));
  ASSERT_EQ(settings.masters.size(), 3U);
  EXPECT_EQ(settings.masters[1], (MasterAddress{MasterId{2}, {"127.0.0.1", 7102}}));
  ASSERT_EQ(settings.games.size(), 1U);
  EXPECT_THAT(settings.games[0].launch.game.command,
              ElementsAre("fixkeep-demo-game", "--port", "{port}", "--boot-ms", "500"));
  EXPECT_THAT(settings.games[0].launch.game.environment, ElementsAre("LANG=C.UTF-8"));
}

TEST(WorkerSettings, accept_the_example_of_a_fleet_whose_players_are_counted) {
  std::ifstream file{"configs/agones/duel.json"};
  const Json entry = Json::parse(file, nullptr, true, true);
  const auto loaded = load({"rooms.runner=agones", "rooms.kubernetes.namespace=games",
                            "rooms.kubernetes.kubeconfig=/etc/cluster.json", "cluster.id=studio",
                            "games=" + Json::array({entry}).dump()});
  ASSERT_TRUE(std::holds_alternative<Settings>(loaded));
  const auto& settings = std::get<Settings>(loaded);
  const RunnerOptions options = runner_options(settings);
  EXPECT_EQ(options.kubernetes.name_space, "games");
  EXPECT_EQ(options.kubernetes.kubeconfig, "/etc/cluster.json");
  EXPECT_THAT(options.fleets, ElementsAre("duel"));
  EXPECT_THAT(settings.games[0].launch.fleets, ElementsAre("duel"));
  EXPECT_EQ(settings.core.modes[0].seats, SeatRule::counted);
  const Json shown = to_json(settings);
  EXPECT_EQ(shown["games"][0]["fleets"], entry.at("fleets"));
  EXPECT_EQ(shown["rooms"]["kubernetes"]["namespace"], "games");
}

TEST(WorkerSettings, accept_the_example_of_a_hook_and_show_it_as_it_was_given) {
  std::ifstream file{"configs/hooks/duel.json"};
  const Json entry = Json::parse(file, nullptr, true, true);
  const auto loaded = load({"rooms.runner=hook", "games=" + Json::array({entry}).dump()},
                           {"FIXKEEP_CLUSTER_SECRET=a-secret-that-no-file-shows"});
  ASSERT_THAT(lines(loaded), IsEmpty());
  const auto& settings = std::get<Settings>(loaded);
  EXPECT_EQ(settings.runner, "hook");
  EXPECT_THAT(settings.doubts, IsEmpty()) << "its programs are there";
  EXPECT_EQ(settings.games[0].launch.game.command.front(), "configs/hooks/local.sh");
  EXPECT_THAT(settings.games[0].launch.list_command, ElementsAre("configs/hooks/local.sh", "list"));
  const Json shown = to_json(settings);
  EXPECT_EQ(shown["games"][0]["hook"], entry.at("hook"));
  EXPECT_FALSE(shown["games"][0].contains("command"));
  EXPECT_EQ(shown["rooms"]["runner"], "hook");
}

// A default stands in the schema, for people, and in the options, for the code: they are the same.
TEST(WorkerSettings, have_the_defaults_of_the_options) {
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
  EXPECT_GE(compared, 22);

  Settings one_mode;
  one_mode.core.modes.emplace_back();
  one_mode.games.emplace_back();
  const Json mode = to_json(one_mode)["games"][0];
  for (const char* key : {"boot_timeout_ms", "stop_grace_ms", "memory_mib",       "environment",
                          "working_folder",  "files",         "keep_folder",      "user",
                          "group",           "ports",         "memory_limit_mib", "processes",
                          "daemon",          "terminal",      "seat_ms",          "reconnect_ms",
                          "counters",        "lists",         "attributes",       "neighbour_ports",
                          "labels"}) {
    EXPECT_EQ(mode[key], (*schema.at(std::string{"games[0]."} + key))["default"]) << key;
  }
}

TEST(WorkerSettings, know_every_runner) {
  std::vector<std::string> names;
  for (const RunnerKind& each : all_runners()) names.emplace_back(each.name);
  const config::Schema schema{settings_schema()};
  const auto known = schema.at("rooms.runner")->at("enum").get<std::vector<std::string>>();
  EXPECT_EQ(known, names);
}

constexpr const char* probes_of_all_kinds = R"json(games[0].probes={
  "u": {"by": "udp", "port": "query", "interval_ms": 60,
    "exchanges": [{"send": "00", "padded_to": 9, "expect": "??"},
                  {"send": "01", "copy": [{"from": 0, "to": 1, "bytes": 2}]}],
    "players": {"matches": "(.)", "rule": "sum", "number": "byte"}},
  "c": {"by": "command", "command": ["x"]}, "l": {"by": "line", "contains": "x"},
  "m": {"by": "line", "matches": "x"}, "s": {"by": "alive", "after_ms": 5}})json";

// What is read is what is shown: no key of the schema is forgotten in one of the two directions.
void expect_every_key_as_it_was_given(const std::string& runner,
                                      const std::vector<std::string>& keys_of_the_game) {
  const config::Schema schema{settings_schema()};
  CommandLine line;
  line.file = "configs/worker.json";
  for (const auto& leaf : schema.leaves()) {
    const auto& type = leaf.schema->at("type");
    if (type == "integer" && leaf.schema->contains("default")) {
      const auto changed = leaf.schema->at("default").get<std::int64_t>() + 1;
      line.settings.push_back(leaf.key + "=" + std::to_string(changed));
    } else if (leaf.schema->contains("enum")) {
      line.settings.push_back(leaf.key + "=" + leaf.schema->at("enum").back().get<std::string>());
    }
  }
  line.settings.insert(
      line.settings.end(),
      {"rooms.runner=" + runner, R"(games=[{"mode":"duel"}])", "mesh.heartbeat_timeout_ms=1234",
       "games[0].boot_timeout_ms=1234", "games[0].stop_grace_ms=99", "games[0].memory_mib=17",
       R"(games[0].counters={"a":{"count":1,"capacity":2}})",
       R"(games[0].labels={"region":"eu","example.org/tier":""})",
       R"(games[0].environment={"A":"b=c","EMPTY":""})",
       R"(games[0].lists={"b":{"capacity":3,"values":["x"]}})",
       R"(games[0].attributes={"a":{"values":["x","y"]},"b":{"pattern":"[a-z]+"}})",
       probes_of_all_kinds, R"(games[0].ready=["u"])", R"(games[0].alive=["u"])",
       "games[0].players=u", R"(games[0].ports=["query"])"});
  for (const std::string& key : keys_of_the_game) line.settings.push_back("games[0]." + key);
  Problems problems;
  auto document = config::load_document(line, {}, schema, problems, {}, schema_for);
  ASSERT_TRUE(document && problems.empty()) << runner << to_string(problems.front());
  document->root()["cluster"].erase("secret");
  EXPECT_EQ(to_json(read_settings(*document, "the secret")), document->root()) << runner;
}

TEST(WorkerSettings, show_every_key_as_it_was_given) {
  const std::vector<std::string> program{R"(command=["a","b"])",
                                         "working_folder=/srv",
                                         R"(files={"a/b.cfg":["x","","y"],"empty":[]})",
                                         "keep_folder=always",
                                         "user=u",
                                         "group=g",
                                         "neighbour_ports=3",
                                         "memory_limit_mib=5",
                                         "processes=6",
                                         "daemon=true",
                                         "terminal=true",
                                         R"(stop={"signal":"SIGINT","command":["c"]})"};
  expect_every_key_as_it_was_given("process", program);
  auto container = program;
  container.emplace_back(
      R"(container={"image":"i","network":"host","publish":{"port":1},"read_only":true})");
  expect_every_key_as_it_was_given("docker", container);
  expect_every_key_as_it_was_given("podman", container);
  expect_every_key_as_it_was_given("hook", {R"(hook={"start":["s"],"stop":["e"],"list":["l"]})"});
  expect_every_key_as_it_was_given("kubernetes",
                                   {R"(command=["a"])", R"(pod={"spec":{"containers":[]}})"});
  expect_every_key_as_it_was_given("agones", {R"(fleets=["blue","green"])"});
}

// A file for one runner is no file for another: each key is known for the runners that have it.
TEST(WorkerSettings, know_a_key_of_another_runner_and_refuse_it) {
  const std::map<std::string, std::string> needed{
      {"process", R"("command":["/bin/sh"])"},
      {"docker", R"("container":{"image":"i"})"},
      {"podman", R"("container":{"image":"i"})"},
      {"hook", R"("hook":{"start":["/bin/sh"],"stop":["/bin/sh"],"list":["/bin/sh"]},"ready":[])"},
      {"kubernetes", R"("pod":{"spec":{"containers":[{"image":"x"}]}})"},
      {"agones", R"("fleets":["blue"])"}};
  const std::map<std::string, std::pair<std::string, std::set<std::string>>> keys{
      {"command", {R"(["/bin/sh"])", {"process", "docker", "podman", "kubernetes"}}},
      {"stop", {R"({})", {"process", "docker", "podman"}}},
      {"terminal", {"false", {"process", "docker", "podman"}}},
      {"container", {R"({"image":"i"})", {"docker", "podman"}}},
      {"hook", {R"({"start":["/bin/sh"]})", {"hook"}}},
      {"pod", {"{}", {"kubernetes"}}},
      {"fleets", {"[]", {"agones"}}}};
  for (const auto& [runner, given] : needed) {
    for (const auto& [key, value] : keys) {
      if (given.starts_with('"' + key)) continue;
      const auto& [text, runners] = value;
      const auto said =
          lines(load({"rooms.runner=" + runner,
                      R"(games=[{"mode":"a",)" + given + ",\"" + key + "\":" + text + "}]"}));
      if (runners.contains(runner)) {
        EXPECT_THAT(said, IsEmpty()) << runner << ' ' << key;
        continue;
      }
      ASSERT_THAT(said, ElementsAre(HasSubstr("games[0]." + key +
                                              ": is not a known key with rooms.runner \"" + runner +
                                              "\": it belongs to \"")))
          << runner << ' ' << key;
      for (const auto& each : runners) EXPECT_THAT(said[0], HasSubstr('"' + each + '"'));
    }
  }
}

TEST(WorkerSettings, wait_as_long_as_the_distance_takes) {
  using std::chrono::milliseconds;
  const auto near = std::get<Settings>(load({}));
  EXPECT_EQ(near.links.heartbeat_timeout, net::LinkOptions{}.heartbeat_timeout);
  EXPECT_EQ(near.links.handshake_timeout, net::LinkOptions{}.handshake_timeout);
  const auto far = std::get<Settings>(load({"network.round_trip_ms=80"}));
  EXPECT_EQ(far.links.heartbeat_timeout, milliseconds{1900});
  EXPECT_EQ(far.links.handshake_timeout, milliseconds{2400});
  const auto patient = std::get<Settings>(load({"mesh.heartbeat_timeout_ms=60000"}));
  EXPECT_EQ(patient.links.heartbeat_timeout, milliseconds{60'000});
}

TEST(WorkerSettings, take_games_from_files_of_their_own) {
  const auto loaded = load({});
  ASSERT_THAT(lines(loaded), IsEmpty());
  CommandLine line{.file = "tests/unit/worker/shell/games.json"};
  const auto with_files = load_settings(line, {});
  ASSERT_THAT(lines(with_files), IsEmpty());
  const auto& settings = std::get<Settings>(with_files);
  ASSERT_EQ(settings.games.size(), 3U);
  EXPECT_EQ(settings.games[0].mode, ModeName{"duel"});
  EXPECT_TRUE(settings.games[0].probes.said_ready) << "as if nothing is said";
  EXPECT_EQ(settings.games[0].seats, SeatRule::told);
  EXPECT_EQ(settings.games[1].mode, ModeName{"teeworlds"});
  EXPECT_EQ(settings.games[1].seats, SeatRule::counted);
  EXPECT_FALSE(settings.games[1].probes.said_ready);
  EXPECT_EQ(settings.games[1].probes.readiness.size(), 1U);
  EXPECT_EQ(settings.games[2].seats, SeatRule::counted);
  EXPECT_EQ(settings.games[2].probes.readiness.size(), 2U);
  EXPECT_EQ(settings.games[2].launch.user, "games");
  EXPECT_EQ(settings.core.modes[1].seats, SeatRule::counted);
}

// What is true of this machine now is asked for by --check alone: a start must not depend on it.
TEST(WorkerSettings, look_at_the_machine_if_they_are_checked) {
  boost::asio::io_context context;
  const boost::asio::ip::tcp::acceptor taken{context, {boost::asio::ip::address_v4::loopback(), 0}};
  const auto port = std::to_string(taken.local_endpoint().port());
  CommandLine line{.file = "configs/worker.json",
                   .settings = {"games[0].command[0]=no-such-game", "admin.port=" + port}};
  EXPECT_THAT(lines(load_settings(line, {})), IsEmpty());
  line.check = true;
  EXPECT_THAT(
      lines(load_settings(line, {})),
      ElementsAre("--set games[0].command[0]: games[0].command[0]: must name a program that "
                  "can be executed, is \"no-such-game\": not in PATH"));
  line.settings[0] = "games[0].command[0]=/bin/sh";
  const auto running = load_settings(line, {});
  EXPECT_THAT(std::get<Settings>(running).doubts,
              ::testing::Contains(::testing::Field(
                  &config::Problem::message,
                  "cannot listen on 127.0.0.1:" + port +
                      ": Address already in use; this is a mistake unless the node "
                      "is running")))
      << "perhaps by the running node";
  line.settings = {"games[0].command[0]=/bin/sh", "admin.address=192.0.2.1", "admin.port=1234"};
  EXPECT_THAT(lines(load_settings(line, {"FIXKEEP_ADMIN_TOKEN=a-token-of-the-operators"})),
              ElementsAre("--set admin.port: admin.port: cannot listen on 192.0.2.1:1234: Cannot "
                          "assign requested address"));
  boost::system::error_code taken_already;  // by another test: then it is taken too
  boost::asio::ip::tcp::acceptor relays{context};
  (void)relays.open(boost::asio::ip::tcp::v4(), taken_already);
  (void)relays.bind({boost::asio::ip::address_v4::any(), 9359}, taken_already);
  (void)relays.listen(1, taken_already);
  line.settings = {"rooms.runner=kubernetes", "rooms.kubernetes.sdk.host=w1",
                   R"(games=[{"mode":"a","pod":{"spec":{"containers":[{"image":"x"}]}}}])"};
  EXPECT_THAT(
      std::get<Settings>(load_settings(line, {})).doubts,
      ::testing::Contains(::testing::Field(
          &config::Problem::message, ::testing::StartsWith("cannot listen on 0.0.0.0:9359: "))));
}

TEST(WorkerStart, checks_and_ends) {
  std::ostringstream out;
  std::ostringstream err;
  const char* arguments[] = {"fixkeep-worker", "--config", "configs/worker.json",
                             "--check",        "--set",    "games[0].command[0]=/bin/sh"};
  setenv("FIXKEEP_CLUSTER_SECRET", "a-secret-that-no-file-shows", 1);
  const auto result = program().start(std::size(arguments), arguments, out, err);
  unsetenv("FIXKEEP_CLUSTER_SECRET");
  EXPECT_EQ(std::get<config::ExitCode>(result).code, 0);
  EXPECT_EQ(out.str(), "configuration is valid\n");
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace fixkeep::worker
