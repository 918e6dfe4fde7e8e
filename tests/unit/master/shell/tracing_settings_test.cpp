// Where spans go, as a configuration file says.
#include <gmock/gmock.h>

#include "tests/unit/master/shell/settings_files.hpp"

namespace fixkeep::master {
namespace {

std::string with_tracing(const std::string& tracing) {
  return R"({
    "cluster": {"id": "c", "secret": "0123456789abcdef"},
    "master": {"id": 1, "zone": "a"}, "http": {"port": 8101},
    "mesh": {"listen": "[::1]:7102", "masters": [{"id": 1, "address": "127.0.0.1:7101"}]},
    "modes": [{"name": "duel", "capacity": 2}], "tracing": )" +
         tracing + "}";
}

TEST(MasterSettings, make_no_spans_unless_they_are_told_to) {
  Files files;
  const auto loaded = load(files.write("m.json", with_tracing("{}")));
  ASSERT_THAT(lines(loaded), testing::IsEmpty());
  EXPECT_EQ(std::get<Settings>(loaded).tracing.otlp_endpoint, "");
}

TEST(MasterSettings, take_the_collector_and_show_it) {
  Files files;
  const auto loaded = load(files.write(
      "m.json",
      with_tracing(R"({"otlp_endpoint": "http://[::1]:4318/v1/traces", "sample": 0.25})")));
  ASSERT_THAT(lines(loaded), testing::IsEmpty());
  const auto& tracing = std::get<Settings>(loaded).tracing;
  EXPECT_EQ(tracing.otlp_endpoint, "http://[::1]:4318/v1/traces");
  EXPECT_EQ(tracing.sample, 0.25);
  const auto shown = to_json(std::get<Settings>(loaded)).at("tracing");
  EXPECT_EQ(shown.at("otlp_endpoint"), "http://[::1]:4318/v1/traces");
  EXPECT_EQ(shown.at("sample"), 0.25);
}

}  // namespace
}  // namespace fixkeep::master
