#include "common/node/node_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/wire/limits.hpp"

namespace fixkeep::node {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(NodePage, tells_who_it_is_and_whom_it_reaches) {
  NodeFacts facts{
      .node = "m1",
      .role = "master",
      .cluster = "local",
      .configuration = R"({"a":1})",
      .masters = {{"m2", false, "unreachable at \"x\""}},
      .refused = {{"w1", "10.0.0.7", 3, {}}, {"w2", "10.0.0.8", 4, {}, 1}},
      .links = {.certificate_expires_s = 7},
      .listeners = {{.listener = "players", .responses = {}},
                    {.listener = "operators",
                     .responses = {},
                     .certificate_expires_at = std::chrono::sys_seconds{std::chrono::seconds{9}}}}};
  const auto page = json::parse(node_page(facts).body);
  EXPECT_EQ(page.at("node"), "m1");
  EXPECT_EQ(page.at("role"), "master");
  EXPECT_EQ(page.at("configuration").at("a"), 1);
  EXPECT_EQ(page.at("ports_given_to_connections"), json::array());
  EXPECT_EQ(page.at("masters")[0].at("trouble"), "unreachable at \"x\"");
  EXPECT_EQ(page.at("masters")[0].at("up"), false);
  EXPECT_EQ(page.at("refused_copies")[0].at("node"), "w1");
  EXPECT_EQ(page.at("refused_copies")[0].at("times"), 3);
  EXPECT_EQ(page.at("refused_copies").size(), 1U);
  EXPECT_EQ(page.at("refused_versions"),
            json::parse(R"([{"node":"w2","host":"10.0.0.8","times":4,"speaks":1}])"));
  EXPECT_EQ(page.at("speaks"), wire::limits::protocol_version);
  EXPECT_EQ(page.at("certificates"),
            json::parse(R"([{"of":"links","ends_ms":7000},{"of":"operators","ends_ms":9000}])"));
  EXPECT_GT(page.at("at_ms").get<std::int64_t>(), 1'700'000'000'000);
}

TEST(NodePage, has_nothing_that_games_keep_to_themselves) {
  const json configuration{{"games",
                            {{{"mode", "duel"},
                              {"environment", {{"KEY", "hidden one"}}},
                              {"files", {{"server.cfg", "hidden two"}}}},
                             {{"mode", "race"}}}}};
  const auto shown = without_what_games_keep(configuration);
  EXPECT_THAT(shown, Not(HasSubstr("hidden")));
  EXPECT_THAT(shown, HasSubstr("KEY"));
  EXPECT_THAT(shown, HasSubstr("server.cfg"));
  EXPECT_EQ(json::parse(shown).at("games")[0].at("mode"), "duel");
  EXPECT_EQ(json::parse(shown).at("games")[1], configuration.at("games")[1]);
}

}  // namespace
}  // namespace fixkeep::node
