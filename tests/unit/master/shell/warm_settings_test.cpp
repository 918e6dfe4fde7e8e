// The rooms of a mode that are ready beforehand, as a configuration file says.
#include <gmock/gmock.h>

#include "tests/unit/master/shell/settings_files.hpp"

namespace fixkeep::master {
namespace {

using testing::UnorderedElementsAre;

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
  ASSERT_EQ(settings.core.warm.size(), 1U);
  EXPECT_EQ(settings.core.warm[0].name, ModeName{"duel"});
  EXPECT_EQ(settings.core.warm[0].capacity, 2U);
  EXPECT_EQ(settings.core.warm[0].rule, (WarmRule{2, 10, 0.1}));
  const auto little = load(files.write("n.json", with_mode(R"({"max": 3})")));
  ASSERT_THAT(lines(little), testing::IsEmpty());
  EXPECT_EQ(std::get<Settings>(little).modes[1].warm, (WarmRule{1, 3, 0}));
}

TEST(MasterSettings, say_what_is_wrong_with_warm_rooms) {
  Files files;
  const auto file = files.write("m.json", with_mode(R"({"min": 5, "max": 4, "share": 1})"));
  EXPECT_THAT(
      lines(load(file)),
      testing::ElementsAre(files.folder() +
                           "m.json:5: modes[1].warm.min: must be at most modes[1].warm.max (4), "
                           "is 5"));
  const auto worse =
      files.write("n.json", with_mode(R"({"min": -1, "max": 300, "share": 1.5, "most": 3})"));
  EXPECT_THAT(
      lines(load(worse)),
      UnorderedElementsAre(
          files.folder() +
              "n.json:5: modes[1].warm.min: must be a whole number between 0 and 256, is -1",
          files.folder() +
              "n.json:5: modes[1].warm.max: must be a whole number between 0 and 256, is 300",
          files.folder() +
              "n.json:5: modes[1].warm.share: must be a number between 0 and 1, is 1.5",
          files.folder() + "n.json:5: modes[1].warm.most: is not a known key"));
  const auto none = files.write("o.json", with_mode(R"({"min": 1})"));
  EXPECT_THAT(
      lines(load(none)),
      testing::ElementsAre(files.folder() +
                           "o.json:5: modes[1].warm.max: is missing: must be a whole number "
                           "between 0 and 256"));
}

}  // namespace
}  // namespace fixkeep::master
