#include "client-sim/events_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/events/event_json.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::client_sim {
namespace {

using events::EventTime;
using std::chrono::microseconds;

TEST(EventsFileTest, has_each_event_with_its_run_and_node_and_the_ends_of_killed_nodes) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "run.jsonl";
  const GroupKey group{"duel/region=g1"};
  {
    EventsFile file{path};
    file.add("none seed 1", {{"m1", EventTime{microseconds{5}}, events::LockWanted{group}}}, {});
    file.add("multiphase seed 1", {}, {{"w2", EventTime{microseconds{7}}}});
    EXPECT_TRUE(file.good());
  }
  std::ifstream written{path};
  std::string line;
  ASSERT_TRUE(std::getline(written, line));
  const auto first = nlohmann::json::parse(line);
  EXPECT_EQ(first["run"], "none seed 1");
  const auto event = events::parse_event(first, first["node"]);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->node, "m1");
  EXPECT_EQ(event->at, EventTime{microseconds{5}});
  EXPECT_EQ(std::get<events::LockWanted>(event->what).group, group);
  ASSERT_TRUE(std::getline(written, line));
  EXPECT_EQ(nlohmann::json::parse(line),
            (nlohmann::json{
                {"run", "multiphase seed 1"}, {"node", "w2"}, {"at_us", 7}, {"event", "killed"}}));
  EXPECT_FALSE(std::getline(written, line));
}

TEST(EventsFileTest, says_that_it_cannot_be_written) {
  EXPECT_FALSE(EventsFile{"/proc/no/such/folder"}.good());
  EXPECT_TRUE(EventsFile{""}.good()) << "none is wanted";
}

}  // namespace
}  // namespace fixkeep::client_sim
