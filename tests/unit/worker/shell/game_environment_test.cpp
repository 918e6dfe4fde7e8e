#include "worker/shell/game_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace fixkeep::worker {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

StartProcess order(const std::string& group) {
  return {.room = RoomNumber{12},
          .group = GroupKey{group},
          .mode = ModeName{"duel"},
          .capacity = 8,
          .creation = {.token = {7, MasterId{2}}, .index = 0, .orderer = Incarnation{1}}};
}
AttributeRule pattern(const std::string& text) {
  return *AttributeRule::matching(text).rule;
}
const RoomId example_room{WorkerId{"w1"}, Incarnation{1}, RoomNumber{12}};
const GameDescription example_game{
    .mode = ModeName{"duel"},
    .launch = {.game = {.command = {"game", "{port}"},
                        .environment = {"LANG=C", "FIXKEEP_PORT=1"},
                        .working_folder = "/srv/{zone}",
                        .files = {{"a/b.cfg", "port {port:query}\nmap {group:map}\n"}}},
               .stop_command = {"rcon", "{port:query}", "quit"}},
    .attributes = {{"map", pattern("[^\"]*")}},
    .ports = {"query"}};
const GameDescription example_in_quotes{
    .launch = {.game = {.command = {"game"}, .files = {{"a.cfg", "\nmap \"{group:map}\"\n"}}}},
    .attributes = {{"map", pattern("[^\"]*")}}};
const GamePlace example_place{.room = example_room,
                              .zone = "eu",
                              .address = "play.example",
                              .at = {"", {{"default", 20011}, {"query", 20012}}},
                              .folder = "/state/game",
                              .seat_key = "ab",
                              .sdk = {{"AGONES_SDK_HTTP_PORT", "9358"}}};

std::string filled(const std::string& text, const std::string& group = "duel") {
  return fill_in(text, values_of(example_game, order(group), example_place));
}
// Of a game that has the text as an argument and nothing else of players.
std::string refusal(const std::string& argument, const std::string& group,
                    const AttributeRule& rule = pattern("(?s).*")) {
  const GameDescription game{.launch = {.game = {.command = {"game", argument}}},
                             .attributes = {{"map", rule}}};
  return why_not_told(game, GroupKey{group});
}

TEST(GameEnvironment, the_ports_behind_that_of_the_room_have_a_place_each) {
  const GameDescription game{
      .mode = ModeName{"duel"},
      .launch = {.game = {.command = {"game", "{port}", "{port+1}", "{port+2}"},
                          .environment = {"QUERY_PORT={port+1}"}},
                 .neighbour_ports = 2}};
  GamePlace place = example_place;
  place.at.ports = {{"default", 20011}, {"port+1", 20012}, {"port+2", 20013}};
  const Launch launch = launch_of(game, order("duel"), place);
  EXPECT_THAT(launch.game.command, ElementsAre("game", "20011", "20012", "20013"));
  EXPECT_THAT(launch.game.environment, Contains("QUERY_PORT=20012"));
}

TEST(GameEnvironment, placeholders_are_filled_in_once) {
  EXPECT_EQ(filled("--at={port}/{capacity}"), "--at=20011/8");
  EXPECT_EQ(filled("{room} {mode} {zone}"), to_string(example_room) + " duel eu");
  EXPECT_EQ(filled("{address}:{port:query}{folder}"), "play.example:20012/state/game");
  EXPECT_EQ(filled("{group}", "{port};rm -rf"), "{port};rm -rf");
  EXPECT_EQ(filled("{other} {port {{port}"), "{other} {port {20011");
  EXPECT_EQ(filled("{port\n} {group:a\nb} {\n{port}"), "{port\n} {group:a\nb} {\n20011");
}

TEST(GameEnvironment, attributes_of_the_group_are_filled_in) {
  EXPECT_EQ(filled("{group:map} {group:skill band}", "duel/map=de%2Fdust/skill%20band=3"),
            "de/dust 3");
  EXPECT_EQ(filled("[{group:region}]", "duel/map=x"), "[]") << "the group has none";
  EXPECT_EQ(filled("{{group:map}{", "duel/map=x"), "{x{");
  EXPECT_EQ(filled("{group:map}", "duel/map={port}"), "{port}");
  EXPECT_EQ(filled("{group:map}", "duel/map=%C3%BC%20b"), "\u00fc b");
}

TEST(GameEnvironment, values_that_break_out_of_their_place_are_refused_and_not_filled_in) {
  for (const char* bad : {"a%00b", "a%0Ab", "%7F", "%1B[2J", "%C2%85", "%E2%80%AE", "%FF"}) {
    const auto group = std::string{"duel/map="} + bad;
    EXPECT_EQ(refusal("[{group:map}]", group), "map: is not UTF-8 without control characters");
    EXPECT_EQ(filled("[{group:map}]", group), "[]") << bad;
  }
}

// A file that has the map in quotes, as example_game's pattern knows.
TEST(GameEnvironment, a_value_has_to_fit_its_rule_as_a_whole) {
  EXPECT_EQ(why_not_told(example_game, GroupKey{"duel/map=a%22%3B%20quit"}),
            "map: does not match its pattern");
  EXPECT_EQ(
      launch_of(example_game, order("duel/map=a%22%3B%20quit"), example_place).game.files[0].text,
      "port 20012\nmap \n");
  const auto words = pattern("[a-z]+");
  EXPECT_EQ(refusal("{group:map}", "duel/map=dust", words), "");
  for (const char* bad : {"dust2", "2dust", "dust%20", "Dust", ""}) {
    EXPECT_EQ(refusal("{group:map}", std::string{"duel/map="} + bad, words),
              "map: does not match its pattern")
        << bad;
  }
  EXPECT_EQ(refusal("{group:map}", "duel/map=%C3%BC", pattern(".")), "") << "a character";
  const auto either = AttributeRule::listing({"dust", "aztec"});
  EXPECT_EQ(refusal("{group:map}", "duel/map=aztec", either), "");
  EXPECT_EQ(refusal("{group:map}", "duel/map=Aztec", either), "map: is not one of its values");
  EXPECT_EQ(refusal("{group:map}", "duel/map=dust/map=x", either), "map: is not one of its values");
  EXPECT_EQ(refusal("{group:mop}", "duel/mop=dust", either), "mop: has no rule");
  EXPECT_EQ(refusal("{group:map}", "duel/other=%00", either), "") << "nobody is told that";
}

TEST(GameEnvironment, a_value_begins_no_option) {
  for (const char* value : {"-exec", "--", "-", "+rcon_password", "@file"}) {
    const auto group = std::string{"duel/map="} + value;
    for (const char* argument : {"{group:map}", "-{group:map}", "{group:mop}{group:map}",
                                 "{group:map}{group:map}", "map {group:map}", "{group:map}.bsp"}) {
      EXPECT_EQ(refusal(argument, group), "map: begins an option") << argument << ' ' << value;
    }
    for (const char* argument : {"--map={group:map}", "m{group:map}", "{port}{group:map}"}) {
      EXPECT_EQ(refusal(argument, group), "") << argument << ' ' << value;
    }
  }
  EXPECT_EQ(refusal("{group:map}", "duel/map=a-b"), "");
  const GameDescription stopped{
      .launch = {.game = {.command = {"game"}}, .stop_command = {"rcon", "{group:map}"}},
      .attributes = {{"map", pattern(".*")}}};
  EXPECT_EQ(why_not_told(stopped, GroupKey{"duel/map=-x"}), "map: begins an option");
  probe::Probe asked{.target = probe::CommandProbe{.command = {"ask", "{group:map}"}}};
  const GameDescription probed{.launch = {.game = {.command = {"game"}}},
                               .attributes = {{"map", pattern(".*")}},
                               .probes = {.readiness = {asked}}};
  EXPECT_EQ(why_not_told(probed, GroupKey{"duel/map=-x"}), "map: begins an option");
}

TEST(GameEnvironment, a_value_ends_no_quotes) {
  for (const char* value : {"a%22b", "a%5C", "%22%3B%20quit"}) {
    const auto group = std::string{"duel/map="} + value;
    EXPECT_EQ(refusal(R"(map "{group:map}" # now)", group), "map: ends the quotes around it");
    EXPECT_EQ(refusal(R"({"map": "{group:map}"})", group), "map: ends the quotes around it");
  }
  EXPECT_EQ(refusal("say '{group:map}'", "duel/map=a%27b"), "map: ends the quotes around it");
  EXPECT_EQ(refusal("say '{group:map}'", "duel/map=a%22b"), "");
  EXPECT_EQ(refusal("say {group:map}", "duel/map=a%22b"), "");
  // A pattern that forgets what a backslash means.
  EXPECT_EQ(why_not_told(example_in_quotes, GroupKey{"duel/map=a%5C"}),
            "map: ends the quotes around it");
}

// The way around is to hand it to the script.
TEST(GameEnvironment, a_value_is_one_word_of_a_script) {
  const auto told = [](std::vector<std::string> command, const std::string& value) {
    const GameDescription game{.launch = {.game = {.command = std::move(command)}},
                               .attributes = {{"map", pattern(".*")}}};
    return why_not_told(game, GroupKey{"duel/map=" + value});
  };
  for (const char* value : {"%24%28reboot%29", "%60reboot%60", "a%3Breboot", "a%20b", "a%26"}) {
    for (const char* option : {"-c", "-ec", "-e"}) {
      EXPECT_EQ(told({"sh", option, "exec game '{group:map}'"}, value),
                "map: is more than a word of a script")
          << value << ' ' << option;
    }
    EXPECT_EQ(told({"sh", "-c", "exec game $1", "sh", "{group:map}"}, value), "") << value;
    EXPECT_EQ(told({"game", "--name", "{group:map}"}, value), "") << value;
  }
  EXPECT_EQ(told({"sh", "-c", "exec game {group:map}"}, "de_dust-2.bsp"), "");
  EXPECT_EQ(told({"sh", "-c", "exec game {group:map}"}, "-x"), "map: begins an option");
}

TEST(GameEnvironment, a_value_leads_out_of_no_folder) {
  for (const char* value : {"..", "..%2Fetc", "a%2F..%2F..", "a%2F..", "%2Fetc%2Fpasswd", ".",
                            "...", ".%2Fa", "%5C%5Chost", "a%5C..%5Cb"}) {
    for (const char* argument : {"{group:map}", "maps/{group:map}", "{folder}{group:map}"}) {
      EXPECT_EQ(refusal(argument, std::string{"duel/map="} + value), "map: leads out of a folder")
          << argument << ' ' << value;
    }
  }
  for (const char* argument : {"maps/{group:map}", "{group:map}/a", "{folder}{group:map}"}) {
    EXPECT_EQ(refusal(argument, "duel/map=de%2Fdust"), "map: has more than one part of a path");
    EXPECT_EQ(refusal(argument, "duel/map=de..dust"), "");
  }
  EXPECT_EQ(refusal("{group:map}", "duel/map=de%2Fdust"), "") << "a name";
  const AttributeRule any = pattern(".*");
  const GroupKey two_parts{"duel/map=a%2Fb"};
  EXPECT_EQ(
      why_not_told({.launch = {.game = {.command = {"{group:map}"}}}, .attributes = {{"map", any}}},
                   two_parts),
      "map: has more than one part of a path");
  EXPECT_EQ(
      why_not_told({.launch = {.game = {.command = {"game"}, .working_folder = "{group:map}"}},
                    .attributes = {{"map", any}}},
                   two_parts),
      "map: has more than one part of a path");
  EXPECT_EQ(
      why_not_told(
          {.launch = {.game = {.command = {"game"}, .environment = {"MAPS=/srv/{group:map}"}}},
           .attributes = {{"map", any}}},
          two_parts),
      "map: has more than one part of a path");
  EXPECT_EQ(refusal("/srv/{group:map}{group:mop}", "duel/map=./mop=."),
            "map: leads out of a folder")
      << "two of them are \"..\"";
}

TEST(GameEnvironment, has_the_trace_of_the_request_that_a_room_was_ordered_for) {
  StartProcess traced = order("duel");
  EXPECT_THAT(launch_of(example_game, traced, example_place).game.environment,
              Not(Contains(HasSubstr("TRACEPARENT"))));
  traced.cause = {"r1", TraceContext{{1, 2}, 3, true}};
  EXPECT_THAT(launch_of(example_game, traced, example_place).game.environment,
              Contains("TRACEPARENT=00-00000000000000010000000000000002-0000000000000003-01"));
}

TEST(GameEnvironment, a_warm_room_has_no_group) {
  EXPECT_EQ(filled("[{group}{group:region}]", "*duel/8"), "[]");
  EXPECT_THAT(launch_of(example_game, order("*duel/8"), example_place).game.environment,
              Contains("FIXKEEP_GROUP="));
}

TEST(GameEnvironment, holds_what_the_game_needs_and_nothing_of_ours) {
  setenv("FIXKEEP_CLUSTER_SECRET", "do not tell", 1);
  // A game that had these could say what only its worker may.
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"}) setenv(name, "9", 1);
  const Launch launch = launch_of(example_game, order("duel/map=x"), example_place);
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"}) unsetenv(name);
  unsetenv("FIXKEEP_CLUSTER_SECRET");
  EXPECT_THAT(launch.game.command, ElementsAre("game", "20011"));
  EXPECT_THAT(launch.stop_command, ElementsAre("rcon", "20012", "quit"));
  EXPECT_EQ(launch.game.working_folder, "/srv/eu");
  ASSERT_EQ(launch.game.files.size(), 1U);
  EXPECT_EQ(launch.game.files[0].path, "a/b.cfg");
  EXPECT_EQ(launch.game.files[0].text, "port 20012\nmap x\n");
  for (const auto& variable :
       {std::string{"LANG=C"}, std::string{"HOME=/state/game"}, std::string{"FIXKEEP_PORT=20011"},
        std::string{"FIXKEEP_PORT_QUERY=20012"}, "FIXKEEP_ROOM_ID=" + to_string(example_room),
        std::string{"FIXKEEP_CREATION_ID=7.m2.0.0000000000000001"},
        std::string{"FIXKEEP_SEAT_KEY=ab"}, std::string{"AGONES_SDK_HTTP_PORT=9358"}}) {
    EXPECT_THAT(launch.game.environment, Contains(variable));
  }
  EXPECT_THAT(launch.game.environment, Not(Contains(HasSubstr("do not tell"))));
  EXPECT_THAT(launch.game.environment, Not(Contains(HasSubstr("NOTIFY_SOCKET"))));
  EXPECT_THAT(launch.game.environment, Not(Contains(HasSubstr("WATCHDOG_"))));
}

}  // namespace
}  // namespace fixkeep::worker
