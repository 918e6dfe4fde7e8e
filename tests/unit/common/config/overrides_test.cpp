#include "common/config/overrides.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "common/config/address.hpp"
#include "common/config/command_line.hpp"

namespace fixkeep::config {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

const Schema& schema() {
  static const Schema example{R"({
    "type": "object", "additionalProperties": false, "properties": {
      "http": {"type": "object", "additionalProperties": false, "properties": {
        "port": {"type": "integer", "minimum": 0, "maximum": 65535},
        "body_bytes": {"type": "integer"}, "quiet": {"type": "boolean"}}},
      "cluster": {"type": "object", "additionalProperties": false, "properties": {
        "secret": {"type": "string", "replaces": "cluster.secret_file", "writeOnly": true},
        "secret_file": {"type": "string", "replaces": "cluster.secret"}}},
      "list": {"type": "array", "items": {"type": "object", "additionalProperties": false,
        "properties": {"id": {"type": "integer"}, "name": {"type": "string"},
        "pin": {"type": "string", "writeOnly": true}}}}
    }})"};
  return example;
}

struct Loaded {
  Json root;
  std::vector<std::string> problems;
};

Loaded load(std::string_view file, const std::vector<std::string>& variables,
            const std::vector<std::string>& settings) {
  Problems problems;
  auto document = Document::from_text("f", file, problems);
  apply_environment(schema(), variables, document, problems);
  apply_settings(schema(), settings, document, problems);
  schema().validate(document, problems);
  Loaded loaded{document.root(), {}};
  for (const auto& problem : problems) loaded.problems.push_back(to_string(problem));
  return loaded;
}

TEST(Overrides, command_line_wins_over_environment_over_file) {
  const auto loaded =
      load(R"({"http": {"port": 1, "body_bytes": 1, "quiet": false}})",
           {"FIXKEEP_HTTP_PORT=2", "FIXKEEP_HTTP_BODY_BYTES=2", "PATH=/bin"}, {"http.port=3"});
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.root, Json::parse(R"({"http": {"port": 3, "body_bytes": 2, "quiet": false}})"));
}

TEST(Overrides, make_what_is_missing_and_reach_into_lists) {
  const auto loaded = load(R"({"list": [{"id": 1}, {"id": 2}]})",
                           {"FIXKEEP_HTTP_QUIET=true", "FIXKEEP_CLUSTER_SECRET=a=b"},
                           {"list[1].name=two", "list.0.id=7"});
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.root, Json::parse(R"({"http": {"quiet": true}, "cluster": {"secret": "a=b"},
                                         "list": [{"id": 7}, {"id": 2, "name": "two"}]})"));
}

// Whoever may list processes reads their command lines. Nothing of the value is repeated.
TEST(Overrides, take_no_secret_from_the_command_line) {
  const std::string why =
      "is not taken from the command line, which any user of this machine can read: give ";
  const auto loaded =
      load("{}", {}, {"cluster.secret=abc", R"(cluster={"secret": "abc"})", "list[0].pin=abc"});
  EXPECT_THAT(
      loaded.problems,
      ElementsAre("--set cluster.secret: cluster.secret: " + why +
                      "cluster.secret_file, or FIXKEEP_CLUSTER_SECRET in the environment",
                  "--set cluster: cluster.secret: " + why +
                      "cluster.secret_file, or FIXKEEP_CLUSTER_SECRET in the environment",
                  "--set list[0].pin: list[0].pin: " + why + "it in the configuration file"));
  EXPECT_EQ(loaded.root, Json::object());
  EXPECT_THAT(load("{}", {}, {R"(list=[{"id": 1}, {"pin": "abc"}])"}).problems,
              ElementsAre("--set list: list[1].pin: " + why + "it in the configuration file"));
  EXPECT_THAT(load("{}", {}, {"cluster.secret_file=a"}).problems, IsEmpty());
}

TEST(Overrides, take_lists_as_json) {
  const auto loaded = load("{}", {R"(FIXKEEP_LIST=[{"id": 4, "name": "x"}])"}, {});
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.root, Json::parse(R"({"list": [{"id": 4, "name": "x"}]})"));
}

TEST(Overrides, name_themselves_when_they_are_wrong) {
  const auto loaded =
      load("{}", {"FIXKEEP_HTTP_PORT=many", "FIXKEEP_HTTP_PROT=1", R"(FIXKEEP_LIST=[{"id": "x"}])"},
           {"http.body_bytes=", "http.quiet=1", "list[3].id=1", "http.pots=1", "nonsense"});
  EXPECT_THAT(
      loaded.problems,
      ElementsAre(
          "environment variable FIXKEEP_HTTP_PROT: is not known; did you mean "
          "FIXKEEP_HTTP_PORT?",
          "--set list[3].id: list[3].id: cannot be set: the list has no entry of this number",
          "--set http.pots: is not a known key; did you mean \"http.port\"?",
          "--set nonsense: must have the form key.path=value",
          "--set http.body_bytes: http.body_bytes: must be a whole number, is \"\"",
          "environment variable FIXKEEP_HTTP_PORT: http.port: must be a whole number "
          "between 0 and 65535, is \"many\"",
          "--set http.quiet: http.quiet: must be true or false, is \"1\"",
          "environment variable FIXKEEP_LIST: list[0].id: must be a whole number, is "
          "\"x\""));
}

TEST(Overrides, in_other_spellings_get_a_suggestion) {
  for (const char* variable :
       {"FIXKEEP_HTTP_BODYBYTES=1", "FIXKEEP_httpBodyBytes=1", "FIXKEEP_HTTP__BODY_BYTES=1"}) {
    EXPECT_THAT(load("{}", {variable}, {}).problems,
                ElementsAre(EndsWith(": is not known; did you mean FIXKEEP_HTTP_BODY_BYTES?")))
        << variable;
  }
  for (const char* setting : {"http.bodyBytes=1", "httpBodyBytes=1", "http.body-bytes=1"}) {
    EXPECT_THAT(load("{}", {}, {setting}).problems,
                ElementsAre(EndsWith(": is not a known key; did you mean \"http.body_bytes\"?")))
        << setting;
  }
  EXPECT_THAT(load(R"({"list": [{"id": 1}]})", {}, {"list[0].Name=x"}).problems,
              ElementsAre(EndsWith("did you mean \"list[0].name\"?")));
  EXPECT_THAT(load("{}", {}, {"list[0].colour=x"}).problems,
              ElementsAre(EndsWith("is not a known key")));
}

TEST(Overrides, leave_variables_of_others_alone) {
  const auto loaded =
      load("{}", {"FIXKEEP_SEAT_KEY=00ff", "FIXKEEP_CREATION_ID=7.m1", "FIXKEEPER=1"}, {});
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_EQ(loaded.root, Json::object());
}

// Of a service named "fixkeep-http" in the same namespace.
TEST(Overrides, leave_service_links_of_kubernetes_alone) {
  const auto loaded =
      load("{}",
           {"FIXKEEP_HTTP_PORT=tcp://10.0.0.7:80", "FIXKEEP_HTTP_PORT_80_TCP_PORT=80",
            "FIXKEEP_HTTP_PORT_80_TCP=tcp://10.0.0.7:80", "FIXKEEP_HTTP_SERVICE_HOST=10.0.0.7"},
           {});
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_FALSE(loaded.root.contains("http"));
}

TEST(Overrides, replace_the_other_form_of_a_secret_from_below) {
  const auto loaded = load(R"({"cluster": {"secret": "in the file"}})",
                           {"FIXKEEP_CLUSTER_SECRET_FILE=/run/secrets/cluster"}, {});
  EXPECT_EQ(loaded.root, Json::parse(R"({"cluster": {"secret_file": "/run/secrets/cluster"}})"));
  const auto both = load("{}", {"FIXKEEP_CLUSTER_SECRET_FILE=a", "FIXKEEP_CLUSTER_SECRET=b"}, {});
  EXPECT_EQ(both.root["cluster"].size(), 2U);  // for the settings to refuse
}

TEST(Address, is_a_host_and_a_port) {
  EXPECT_EQ(parse_address("127.0.0.1:80"), (Address{"127.0.0.1", 80}));
  EXPECT_EQ(parse_address("master-1.internal:7101"), (Address{"master-1.internal", 7101}));
  EXPECT_EQ(parse_address("[::1]:0"), (Address{"::1", 0}));
  EXPECT_EQ(to_string(Address{"::1", 65535}), "[::1]:65535");
  EXPECT_EQ(to_string(Address{"a", 1}), "a:1");
  for (const char* bad : {"", ":", "a", "a:", ":1", "a:65536", "a:-1", "a:1x", "::1:80", "[::1]",
                          "[::1]80", "[a]:1", "[]:1", "[:1", "a b:1", "a:1 ", "http://a:1"}) {
    EXPECT_EQ(parse_address(bad), std::nullopt) << bad;
  }
}

TEST(CommandLine, reads_what_it_knows_and_refuses_the_rest) {
  std::ostringstream out;
  std::ostringstream err;
  const char* good[] = {"p", "--config", "f.json", "--set", "a.b=1", "--set", "c=[1,2]", "--check"};
  const auto parsed = parse_command_line(std::size(good), good, {"A program", "p 1", {}}, out, err);
  const auto& line = std::get<CommandLine>(parsed);
  EXPECT_EQ(line.file, "f.json");
  EXPECT_THAT(line.settings, ElementsAre("a.b=1", "c=[1,2]"));
  EXPECT_TRUE(line.check);
  EXPECT_FALSE(line.print);

  const char* unknown[] = {"p", "--confg", "f.json"};
  EXPECT_EQ(
      std::get<ExitCode>(parse_command_line(3, unknown, {"A program", "p 1", {}}, out, err)).code,
      2);
  EXPECT_THAT(err.str(), ::testing::HasSubstr("--confg"));
  const char* version[] = {"p", "--version"};
  EXPECT_EQ(
      std::get<ExitCode>(parse_command_line(2, version, {"A program", "p 1", {}}, out, err)).code,
      0);
  EXPECT_EQ(out.str(), "p 1\n");
}

}  // namespace
}  // namespace fixkeep::config
