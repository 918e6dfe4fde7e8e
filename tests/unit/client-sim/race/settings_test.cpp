#include "client-sim/race/settings.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "client-sim/options.hpp"

namespace fixkeep::client_sim {
namespace {

const RaceSettings before{.groups = {true, true, true}};

RaceSettings changed(std::string_view body) {
  const auto result = change_settings(before, body);
  const auto* settings = std::get_if<RaceSettings>(&result);
  EXPECT_NE(settings, nullptr) << std::get<SettingsMistake>(result).detail;
  return settings == nullptr ? RaceSettings{} : *settings;
}

SettingsMistake mistake(std::string_view body) {
  const auto result = change_settings(before, body);
  const auto* wrong = std::get_if<SettingsMistake>(&result);
  EXPECT_NE(wrong, nullptr) << body;
  return wrong == nullptr ? SettingsMistake{} : *wrong;
}

TEST(RaceSettings, change_where_a_member_says_so_and_stay_as_they_are_elsewhere) {
  EXPECT_EQ(changed("{}"), before);
  auto after = before;
  after.link_delay_ms = 2.5;
  EXPECT_EQ(changed(R"({"link_delay_ms":2.5})"), after);
  EXPECT_EQ(changed(R"({"link_delay_ms":80,"boot_ms":0,"rate":7.5,"spread_ms":2000,)"
                    R"("running":false,"groups":[false,true,false]})"),
            (RaceSettings{.link_delay_ms = 80,
                          .boot_ms = 0,
                          .rate = 7.5,
                          .spread_ms = 2000,
                          .running = false,
                          .groups = {false, true, false}}));
}

TEST(RaceSettings, are_bounded_and_every_wrong_one_is_named) {
  const auto wrong =
      mistake(R"({"link_delay_ms":200.5,"boot_ms":-1,"rate":"fast","spread_ms":1.5,"running":1,)"
              R"("groups":[true],"speed":3})");
  EXPECT_EQ(wrong.type, "invalid-request");
  for (const auto* part :
       {R"("link_delay_ms" must be a number from 0 to 200)",
        R"("boot_ms" must be a whole number from 0 to 5000)",
        R"("rate" must be a number from 1 to 100)",
        R"("spread_ms" must be a whole number from 0 to 2000)",
        R"("running" must be true or false)",
        R"("groups" must be an array of 3 times true or false)", R"("speed" is not known here)"}) {
    EXPECT_NE(wrong.detail.find(part), std::string::npos) << part << " in " << wrong.detail;
  }
}

TEST(RaceSettings, are_one_object_of_json) {
  EXPECT_EQ(mistake("{").type, "invalid-json");
  EXPECT_EQ(mistake("").type, "invalid-json");
  EXPECT_EQ(mistake("[]").type, "invalid-request");
  EXPECT_EQ(mistake(R"({"groups":[1,2,3]})").type, "invalid-request");
  EXPECT_EQ(mistake(R"({"boot_ms":1e300})").type, "invalid-request");
}

struct ParsedRace {
  std::optional<RaceOptions> options;
  std::string lock;
  std::string err;
};

ParsedRace parse_race(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), {"fixkeep-client-sim", "race"});
  std::ostringstream out;
  std::ostringstream err;
  const auto result = parse_options(static_cast<int>(arguments.size()), arguments.data(), out, err);
  ParsedRace parsed{.options = {}, .lock = {}, .err = err.str()};
  if (const auto* options = std::get_if<Options>(&result)) {
    parsed.options = options->race;
    parsed.lock = options->locks.front();
  }
  return parsed;
}

TEST(RaceOptions, make_clusters_whose_distance_and_boot_time_can_be_changed) {
  const auto usual = parse_race({});
  ASSERT_TRUE(usual.options) << usual.err;
  EXPECT_EQ(usual.lock, "multiphase");
  EXPECT_EQ(usual.options->listen, "127.0.0.1");
  EXPECT_EQ(usual.options->group_players, 8U) << "a group fills one room";
  EXPECT_EQ(usual.options->settings.groups, std::vector<bool>(8, true));
  const auto other =
      parse_race({"--lock", "lamport", "--link-delay-ms", "0", "--boot-ms", "50", "--groups", "2"});
  ASSERT_TRUE(other.options) << other.err;
  EXPECT_EQ(other.lock, "lamport");
  EXPECT_EQ(other.options->cluster.distances.link_ms, 0);
  EXPECT_EQ(other.options->cluster.most_link_ms, link_delay_range.most);
  EXPECT_EQ(other.options->cluster.boot_ms, 50U);
}

TEST(RaceOptions, say_what_is_wrong) {
  EXPECT_FALSE(parse_race({"--lock", "none,etcd"}).options);
  EXPECT_FALSE(parse_race({"--lock", "nosuch"}).options);
  EXPECT_FALSE(parse_race({"--link-delay-ms", "201"}).options);
  EXPECT_FALSE(parse_race({"--rate", "0"}).options);
  EXPECT_FALSE(parse_race({"--listen", "example.org"}).options);
}

}  // namespace
}  // namespace fixkeep::client_sim
