// How many servers of its fleets a worker believes to be free.
#include "worker/runner/agones/free_servers.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker::agones {
namespace {

constexpr TimePoint start{std::chrono::seconds{1000}};

TEST(FreeServers, are_those_of_all_fleets_of_the_worker) {
  FreeServers servers{{"blue", "green", "blue"}};
  EXPECT_EQ(servers.count(start), std::nullopt);
  servers.shown("blue", 3);
  EXPECT_EQ(servers.count(start), std::nullopt) << "of the other fleet nothing is known";
  servers.shown("green", 4);
  servers.shown("of others", 100);
  EXPECT_EQ(servers.count(start), 7U);
  servers.gone("green");
  EXPECT_EQ(servers.count(start), 3U);
}

TEST(FreeServers, are_none_for_a_while_in_a_fleet_that_has_just_refused) {
  FreeServers servers{{"blue", "green"}};
  servers.shown("blue", 3);
  servers.shown("green", 4);
  servers.refused({"blue", "of others"}, start);
  EXPECT_EQ(servers.count(start), 4U);
  servers.shown("blue", 3);
  EXPECT_EQ(servers.count(start + FreeServers::rest - Duration{1}), 4U);
  EXPECT_EQ(servers.count(start + FreeServers::rest), 7U);
}

TEST(FreeServers, say_why_there_are_none) {
  FreeServers servers{{"blue", "green"}};
  EXPECT_EQ(servers.why_none(start), "") << "nothing is known";
  servers.listed();
  EXPECT_EQ(servers.why_none(start), "there is no fleet blue, green");
  EXPECT_EQ(servers.missing({"green", "of others"}), "there is no fleet green");
  servers.shown("blue", 0);
  EXPECT_EQ(servers.why_none(start), "there is no fleet green");
  servers.shown("green", 0);
  EXPECT_EQ(servers.why_none(start), "no server is free in fleet blue, green");
  servers.shown("green", 1);
  EXPECT_EQ(servers.why_none(start), "");
  servers.refused({"green"}, start);
  EXPECT_EQ(servers.why_none(start), "no server is free in fleet blue, green");
  EXPECT_EQ(servers.why_none(start + FreeServers::rest), "");
  servers.gone("green");
  EXPECT_EQ(servers.why_none(start + FreeServers::rest), "there is no fleet green");
}

}  // namespace
}  // namespace fixkeep::worker::agones
