// The rooms of a mode that are ready beforehand, as a configuration file says.
#include <gmock/gmock.h>

#include "tests/unit/master/shell/settings_files.hpp"

namespace fixkeep::master {
namespace {

std::string with_mode(const std::string& warm) {
  return R"({
    "cluster": {"id": "c", "secret": "0123456789abcdef"},
    "master": {"id": 1, "zone": "a"}, "http": {"port": 8101},
    "mesh": {"listen": "[::1]:7102", "masters": [{"id": 1, "address": "127.0.0.1:7101"}]},
    "modes": [{"name": "raid", "capacity": 4}, {"name": "duel", "capacity": 2, "warm": )" +
         warm + "}]}";
}

TEST(MasterSettings, take_the_warm_rooms_of_a_mode) {
  Files files;
  const auto loaded =
      load(files.write("m.json", with_mode(R"({"min": 2, "max": 10, "share": 0.1})")));
  ASSERT_THAT(lines(loaded), testing::IsEmpty());
  const auto& settings = std::get<Settings>(loaded);
  EXPECT_EQ(settings.modes[0].warm, WarmRule{});
  EXPECT_EQ(settings.modes[1].warm, (WarmRule{2, 10, 0.1}));
  ASSERT_EQ(settings.core.modes.warm.size(), 1U);
  EXPECT_EQ(settings.core.modes.warm[0].name, ModeName{"duel"});
  EXPECT_EQ(settings.core.modes.warm[0].capacity, 2U);
  EXPECT_EQ(settings.core.modes.warm[0].rule, (WarmRule{2, 10, 0.1}));
  const auto little = load(files.write("n.json", with_mode(R"({"max": 3})")));
  ASSERT_THAT(lines(little), testing::IsEmpty());
  EXPECT_EQ(std::get<Settings>(little).modes[1].warm, (WarmRule{1, 3, 0}));
}

}  // namespace
}  // namespace fixkeep::master
