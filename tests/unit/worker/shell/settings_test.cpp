#include "worker/shell/settings.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <map>
#include <sstream>
#include <string>

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
  EXPECT_EQ(settings.core.first_port, 20'000);
  ASSERT_EQ(settings.core.modes.size(), 1U);
  EXPECT_EQ(settings.core.modes[0].name, ModeName{"duel"});
  EXPECT_EQ(settings.core.modes[0].boot_timeout, std::chrono::seconds{30});
  EXPECT_EQ(settings.links.self, (net::Node{net::Role::worker, "w1", {}}));
  EXPECT_THAT(settings.links.known_masters, ElementsAre("m1", "m2", "m3"));
  ASSERT_EQ(settings.masters.size(), 3U);
  EXPECT_EQ(settings.masters[1], (MasterAddress{MasterId{2}, {"127.0.0.1", 7102}}));
  ASSERT_EQ(settings.games.size(), 1U);
  EXPECT_THAT(settings.games[0].command,
              ElementsAre("fixkeep-demo-game", "--port", "{port}", "--boot-ms", "500"));
  EXPECT_THAT(settings.games[0].environment, ElementsAre(Pair("LANG", "C.UTF-8")));
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
  for (const char* key : {"boot_timeout_ms", "stop_grace_ms", "memory_mib",  "environment",
                          "working_folder",  "files",         "keep_folder", "user",
                          "group",           "ports",         "open_files",  "memory_limit_mib",
                          "processes",       "cpu_weight",    "daemon",      "terminal",
                          "seat_ms",         "counters",      "lists",       "attributes",
                          "neighbour_ports", "labels"}) {
    EXPECT_EQ(mode[key], (*schema.at(std::string{"games[0]."} + key))["default"]) << key;
  }
}

// What is read is what is shown: no key of the schema is forgotten in one of the two directions.
TEST(WorkerSettings, show_every_key_as_it_was_given) {
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
      {"games[0].boot_timeout_ms=1234", "games[0].stop_grace_ms=99", "games[0].memory_mib=17",
       R"(games[0].counters={"a":{"count":1,"capacity":2}})",
       R"(games[0].labels={"region":"eu","example.org/tier":""})",
       R"(games[0].lists={"b":{"capacity":3,"values":["x"]}})",
       R"(games[0].attributes={"a":{"values":["x","y"]},"b":{"pattern":"[a-z]+"}})"});
  Problems problems;
  auto document = config::load_document(line, {}, schema, problems);
  ASSERT_TRUE(document && problems.empty());
  document->root()["cluster"].erase("secret");
  EXPECT_EQ(to_json(read_settings(*document, "the secret")), document->root());
}

TEST(WorkerSettings, report_every_bad_field_at_once) {
  EXPECT_THAT(
      lines(load({"rooms.ports.last=19999", "rooms.limit=0", "worker.address=a b",
                  "masters=[{\"id\":1,\"address\":\"m:1\"},{\"id\":1,\"address\":\"m:2\"}]",
                  "mesh.heartbeat_timeout_ms=500", "games[0].command[0]=",
                  "games[0].environment.1X=y", "games[0].environment.FIXKEEP_PORT=1"},
                 {"FIXKEEP_LOG_LEVEL=loud"})),
      ElementsAre(
          "environment variable FIXKEEP_LOG_LEVEL: log.level: must be \"debug\", \"info\", "
          "\"warning\" or \"error\", is \"loud\"",
          "--set rooms.limit: rooms.limit: must be a whole number between 1 and 20000, is 0",
          "--set worker.address: worker.address: must be a host name or an IP address, is \"a b\"",
          "--set masters: masters[1].id: must be unique, is 1 as in masters[0]",
          "--set mesh.heartbeat_timeout_ms: mesh.heartbeat_timeout_ms: must be more than twice "
          "mesh.heartbeat_ms (250), is 500",
          "--set rooms.ports.last: rooms.ports.last: must be at least rooms.ports.first (20000), "
          "is 19999",
          "--set games[0].environment.1X: games[0].environment.1X: must be named with letters, "
          "digits and \"_\", not a digit first",
          "--set games[0].environment.FIXKEEP_PORT: games[0].environment.FIXKEEP_PORT: must not "
          "begin with FIXKEEP_: these are set by the worker",
          "--set games[0].command[0]: games[0].command[0]: must name a program, is empty"));
}

TEST(WorkerSettings, want_a_user_for_each_room_and_no_second_one) {
  EXPECT_THAT(lines(load({"rooms.limit=10", "rooms.users.first=61000", "rooms.users.last=61009"})),
              IsEmpty());
  EXPECT_THAT(
      lines(load({"rooms.limit=10", "rooms.users.first=61000", "rooms.users.last=61008"})),
      ElementsAre("--set rooms.users.last: rooms.users.last: must be at least 61009, a user "
                  "for each of rooms.limit rooms, is 61008"));
  EXPECT_THAT(
      lines(load({"rooms.users.first=999", "rooms.users.last=5000"})),
      ElementsAre("--set rooms.users.first: rooms.users.first: must be at least 1000, below "
                  "are users of the system, is 999"));
  EXPECT_THAT(lines(load({"rooms.users.last=61999"})),
              ElementsAre(HasSubstr("rooms.users.first: must be at least 1000")));
  EXPECT_THAT(
      lines(load({"rooms.users.first=61000", "rooms.users.last=61999", "games[0].user=games"})),
      ElementsAre("--set games[0].user: games[0].user: must not be given beside rooms.users, by "
                  "which each room has its own user"));
}

TEST(WorkerSettings, refuse_a_former_key_of_memory_with_the_present_one) {
  EXPECT_THAT(lines(load({"rooms.memory_mb=1", "games[0].memory_mb=1"})),
              ElementsAre("--set rooms.memory_mb: is not a known key; did you mean "
                          "\"rooms.memory_mib\"?",
                          "--set games[0].memory_mb: is not a known key; did you mean "
                          "\"games[0].memory_mib\"?"));
  EXPECT_THAT(lines(load({}, {"FIXKEEP_ROOMS_MEMORY_MB=1"})),
              ElementsAre(HasSubstr("did you mean FIXKEEP_ROOMS_MEMORY_MIB?")));
  EXPECT_THAT(lines(load({R"(games=[{"mode":"a","command":["x"],"memory_mb":1}])"})),
              ElementsAre("--set games: games[0].memory_mb: is not a known key; did you mean "
                          "\"memory_mib\"?"));
}

TEST(WorkerSettings, want_modes_of_different_names) {
  EXPECT_THAT(
      lines(load({R"(games=[{"mode":"a","command":["x"]},{"mode":"a","command":["\u0000"]}])"})),
      ElementsAre(HasSubstr("games[1].mode: must be unique, is \"a\" as in games[0]"),
                  HasSubstr("games[1].command[0]: must not contain a NUL character")));
}

TEST(WorkerSettings, refuse_a_placeholder_that_the_worker_does_not_know) {
  EXPECT_THAT(
      lines(
          load({R"(games=[{"mode":"a","command":["x","--p={prot}","{capacity}","{\"a\":{}}"]}])"})),
      ElementsAre(
          "--set games: games[0].command[1]: has the unknown placeholder {prot}; did you "
          "mean \"port\"? (known: {port}, {room}, {group}, {mode}, {capacity}, {zone}, {address}, "
          "{folder}, {port:NAME} of ports, {port+N} of neighbour_ports and {group:ATTRIBUTE})"));
  const auto beyond = [](const std::string& keys, const std::string& word) {
    return lines(load({R"(games=[{"mode":"a","command":["x",")" + word + "\"]" + keys + "}]"}));
  };
  EXPECT_THAT(beyond(R"(,"neighbour_ports":2)", "{port+1}{port+2}"), IsEmpty());
  EXPECT_THAT(beyond("", "{port+1}"),
              ElementsAre("--set games: games[0].command[1]: has {port+1}, and "
                          "games[0].neighbour_ports is 0: make it the highest N of {port+N}, "
                          "from 1 to 8"));
  for (const char* word : {"{port+3}", "{port+0}", "{port+01}", "{port+x}", "{port+}"}) {
    EXPECT_THAT(beyond(R"(,"neighbour_ports":2)", word),
                ElementsAre(HasSubstr("games[0].neighbour_ports is 2")))
        << word;
  }
  EXPECT_THAT(
      beyond(R"(,"neighbour_ports":9)", "{port+9}"),
      ElementsAre(HasSubstr("games[0].neighbour_ports: must be a whole number between 0 and 8")));
  EXPECT_THAT(lines(load({"rooms.output.file_bytes=1000"})),
              ElementsAre(HasSubstr("rooms.output.file_bytes: must be 0 or at least 65536")));
}

TEST(WorkerSettings, refuse_labels_that_kubernetes_would_and_those_of_others) {
  const auto said = [](const std::string& labels) {
    return lines(load({R"(games=[{"mode":"a","command":["x"],"labels":)" + labels + "}]"}));
  };
  EXPECT_THAT(said(R"({"region":"eu-1","example.org/tier":""})"), IsEmpty());
  EXPECT_THAT(said(R"({"a b":"x","Example.org/a":"x","region":"-eu","size":"a b"})"),
              ElementsAre(HasSubstr("is no name of a label: its prefix is no domain"),
                          HasSubstr("is no name of a label: its name part must consist"),
                          HasSubstr("labels.region: is no value of a label: it must consist"),
                          HasSubstr("labels.size: is no value of a label")));
  for (const char* others : {"fixkeep/group", "agones.dev/sdk-map"}) {
    EXPECT_THAT(said(R"({")" + std::string{others} + R"(":"x"})"),
                ElementsAre(HasSubstr("those are set by the worker and by the game")));
  }
  std::string many;
  for (int i = 0; i < 33; ++i) many += (i == 0 ? "{\"l" : ",\"l") + std::to_string(i) + "\":\"\"";
  EXPECT_THAT(said(many + "}"), ElementsAre(HasSubstr("must have at most 32 labels, has 33")));
  EXPECT_THAT(said(R"({"a":7})"), ElementsAre(HasSubstr("labels.a: must be a text")));
}

// Each place in which a text of players may stand.
TEST(WorkerSettings, want_a_rule_for_each_attribute_that_a_game_is_told) {
  const auto said = [](const std::string& keys) {
    return lines(load({R"(games=[{"mode":"a",)" + keys + "}]"}));
  };
  EXPECT_THAT(
      said(R"("command":["x","--map={group:map}"])"),
      ElementsAre("--set games: games[0].command[1]: has {group:map}, which players choose: add "
                  "games[0].attributes.map with what it may be, \"values\" (a list) or "
                  "\"pattern\" (a regular expression for all of it)"));
  const std::string plain = R"("command":["x"],)";
  for (const auto& [keys, place] : std::map<std::string, std::string>{
           {R"("command":["{group:map}"])", "command[0]"},
           {plain + R"("stop":{"command":["x","{group:map}"]})", "stop.command[1]"},
           {plain + R"("environment":{"MAP":"a {group:map}"})", "environment.MAP"},
           {plain + R"("working_folder":"/srv/{group:map}")", "working_folder"},
           {plain + R"("files":{"a.cfg":["","map \"{group:map}\""]})", "files.a.cfg"},
           {plain + R"("probes":{"p":{"by":"command","command":["x","{{group:map}"]}})",
            "probes.p.command[1]"}}) {
    EXPECT_THAT(said(keys), ElementsAre(HasSubstr(place + ": has {group:map}, which players")));
    EXPECT_THAT(said(keys + R"(,"attributes":{"map":{"pattern":"[a-z]{1,8}"}})"), IsEmpty());
    EXPECT_THAT(said(keys + R"(,"attributes":{"map":{"values":["dust","aztec"]}})"), IsEmpty());
    EXPECT_THAT(said(keys + R"(,"attributes":{"mop":{"values":["dust"]}})"),
                ElementsAre(HasSubstr("add games[0].attributes.map")));
  }
}

TEST(WorkerSettings, say_what_is_wrong_with_the_rule_of_an_attribute) {
  const auto said = [](const std::string& rule, const std::string& argument = "{group:map}") {
    return lines(load({R"(games=[{"mode":"a","command":["x",")" + argument +
                       R"("],"attributes":{"map":)" + rule + "}}]"}));
  };
  const auto either = "games[0].attributes.map: must have either values or pattern";
  EXPECT_THAT(said("{}"), ElementsAre(HasSubstr(either)));
  EXPECT_THAT(said(R"({"values":["a"],"pattern":"a"})"), ElementsAre(HasSubstr(either)));
  EXPECT_THAT(said(R"({"values":[]})"), ElementsAre(HasSubstr("attributes.map.values")));
  EXPECT_THAT(said(R"({"pattern":"a)|(b"})"),
              ElementsAre(HasSubstr("attributes.map.pattern: must be a regular expression: ")));
  EXPECT_THAT(said(R"({"pattern":")" + std::string(513, 'a') + R"("})"),
              ElementsAre(HasSubstr("attributes.map.pattern: ")));
  EXPECT_THAT(said(R"({"pattern":"((a{1,100}){1,100}){1,100}"})"),
              ElementsAre(HasSubstr("attributes.map.pattern: must be a regular expression: ")));
  // What could never be handed on is said at once.
  EXPECT_THAT(
      said(R"({"values":["a","-a"]})"),
      ElementsAre("--set games: games[0].attributes.map.values[1]: must not be \"-a\", which "
                  "begins an option in games[0].command[1]"));
  EXPECT_THAT(said(R"({"values":["-a"]})", "--map={group:map}"), IsEmpty());
  EXPECT_THAT(said(R"({"values":["de/dust"]})", "maps/{group:map}"),
              ElementsAre(HasSubstr("which has more than one part of a path in games[0].command")));
  EXPECT_THAT(said(R"({"values":["a\u202eb"]})", "-m {group:map}"),
              ElementsAre(HasSubstr("attributes.map.values[0]: must be UTF-8 without control")));
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
  EXPECT_EQ(settings.games[2].seats, SeatRule::until_exit);
  EXPECT_EQ(settings.games[2].probes.readiness.size(), 2U);
  EXPECT_EQ(settings.games[2].user, "games");
  EXPECT_EQ(settings.core.modes[1].seats, SeatRule::counted);
  line.settings = {"games[1].stop.signal=SIGNAL", "games[2].user=5"};
  EXPECT_THAT(lines(load_settings(line, {})),
              ElementsAre(HasSubstr("--set games[1].stop.signal: games[1].stop.signal: must be")));
  EXPECT_THAT(lines(load({R"(game_files=["none.json"])"})),
              ElementsAre("--set game_files: game_files: can be given in the configuration file "
                          "only"));
}

TEST(WorkerSettings, say_what_is_wrong_with_a_question) {
  const auto said = [](const std::string& members) {
    return lines(load({R"(games=[{"mode":"a","command":["x"],)" + members + "}]"}));
  };
  EXPECT_THAT(said(R"("probes":{"p":{"by":"tcp","port":"query"}},"ready":["p"])"),
              ElementsAre(HasSubstr("query")));
  EXPECT_THAT(said(R"("probes":{"info":{"by":"tcp"}},"ready":["inof"])"),
              ElementsAre(HasSubstr("games[0].ready[0]: must be a name of probes, is \"inof\"; did "
                                    "you mean \"info\"? (there are: sdk, info)")));
  EXPECT_THAT(said(R"("players":"untl-exit")"), ElementsAre(HasSubstr("did you mean")));
  EXPECT_THAT(said(R"("probes":{"p":{"by":"udp"}})"),
              ElementsAre(HasSubstr("probes.p: must have exchanges, since it is by udp")));
  EXPECT_THAT(said(R"("probes":{"p":{"by":"udp","exchanges":[{"send":"f"}]}})"),
              ElementsAre(HasSubstr("probes.p.exchanges[0].send: must be hexadecimal")));
  EXPECT_THAT(said(R"("probes":{"p":{"by":"line","matches":"("}})"),
              ElementsAre(HasSubstr("probes.p.matches: must be a regular expression: ")));
  EXPECT_THAT(said(R"("probes":{"p":{"by":"line"}})"),
              ElementsAre(HasSubstr("must have either contains or matches")));
  EXPECT_THAT(said(R"("probes":{"p":{"by":"command"}})"),
              ElementsAre(HasSubstr("must have a command")));
  EXPECT_THAT(said(R"("probes":{"p":{"by":"alive"}})"),
              ElementsAre(HasSubstr("must have after_ms")));
  EXPECT_THAT(said(R"("probes":{"sdk":{"by":"tcp"}})"),
              ElementsAre(HasSubstr("probes.sdk: must have another name")));
  EXPECT_THAT(said(R"("probes":{"p":{"by":"tcp"}},"players":"p")"),
              ElementsAre(HasSubstr("games[0].probes: players: this probe counts none")));
  EXPECT_THAT(said(R"("probes":{"p":{"by":"command","command":["ask","{prot}"]}})"),
              ElementsAre(HasSubstr("probes.p.command[1]: has the unknown placeholder {prot}")));
}

TEST(WorkerSettings, refuse_files_outside_of_the_rooms_folder) {
  for (const char* path : {"../x", "/etc/x", "a/../../x", "a/", ""}) {
    EXPECT_THAT(lines(load({R"(games=[{"mode":"a","command":["x"],"files":{")" + std::string{path} +
                            R"(":["y"]}}])"})),
                ElementsAre(HasSubstr("must be named by a path below the room's own folder")))
        << path;
  }
  EXPECT_THAT(
      lines(load({R"(games=[{"mode":"a","command":["x"],"files":{"a/..b/c":["{port}"]}}])"})),
      IsEmpty());
}

TEST(WorkerSettings, off_the_loopback_device_operators_need_a_token) {
  EXPECT_THAT(lines(load({"admin.address=0.0.0.0", "admin.port=7181"})),
              ElementsAre(HasSubstr("admin.address: is not on the loopback device")));
  EXPECT_THAT(lines(load({"admin.address=0.0.0.0", "admin.port=7181"},
                         {"FIXKEEP_ADMIN_TOKEN=a token of some length"})),
              IsEmpty());
  EXPECT_THAT(lines(load({"admin.port=7181"})), IsEmpty());
  EXPECT_THAT(lines(load({"http.port=7181"})), ElementsAre(HasSubstr("http.port: is not a known")));
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
  EXPECT_THAT(lines(load_settings(line, {})),
              ::testing::UnorderedElementsAre(
                  "--set games[0].command[0]: games[0].command[0]: must name a program that can be "
                  "executed, "
                  "is \"no-such-game\": not in PATH",
                  "--set admin.port: admin.port: cannot listen on 127.0.0.1:" + port +
                      ": Address already in use"));
  line.settings = {"games[0].command[0]=/bin/sh", "admin.address=192.0.2.1", "admin.port=1234"};
  EXPECT_THAT(lines(load_settings(line, {})),
              ElementsAre("--set admin.port: admin.port: cannot listen on 192.0.2.1:1234: Cannot "
                          "assign requested address"));
}

TEST(WorkerStart, checks_and_ends) {
  std::ostringstream out;
  std::ostringstream err;
  const char* arguments[] = {"fixkeep-worker", "--config", "configs/worker.json",
                             "--check",        "--set",    "games[0].command[0]=/bin/sh"};
  const auto result = program().start(std::size(arguments), arguments, out, err);
  EXPECT_EQ(std::get<config::ExitCode>(result).code, 0);
  EXPECT_EQ(out.str(), "configuration is valid\n");
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace fixkeep::worker
