// What every test of a whole cluster looks at in the end.
//
// Thread rule: free functions, from the test's thread. Errors: as failures of the test.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tests/support/local_cluster.hpp"
#include "tests/support/players.hpp"

namespace fixkeep::integration {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Of a node that runs: its log is written by a thread of its own, after what the line is about.
inline void expect_logged(support::Node& node, const std::string& line) {
  support::wait_until(node.name() + " has logged: " + line,
                      [&] { return contains(node.log(), line); });
}

inline std::string problem_type(const std::string& body) {
  const auto problem = client_sim::parse_problem(body);
  return problem ? problem->type : "no problem document: " + body;
}

// Everybody is inside, in rooms of their own group, and no room holds more than it may.
inline void expect_all_inside(const support::Players& players, std::size_t capacity) {
  EXPECT_EQ(players.inside(), players.all().size()) << players.failures();
  std::map<std::string, std::set<std::string>> rooms;
  std::map<std::string, std::set<std::string>> regions;
  for (const auto& player : players.all()) {
    if (player.inside) rooms[player.seat.room_id].insert(player.id);
    regions[player.seat.room_id].insert(player.region);
  }
  for (const auto& [room, inside] : rooms) EXPECT_LE(inside.size(), capacity) << room;
  for (const auto& [room, names] : regions) EXPECT_EQ(names.size(), 1U) << room;
}

inline std::size_t rooms_of(const support::Players& players) {
  std::set<std::string> rooms;
  for (const auto& player : players.all()) rooms.insert(player.seat.room_id);
  return rooms.size();
}

inline void expect_clean_stop(support::LocalCluster& cluster) {
  for (const auto& complaint : cluster.stop()) ADD_FAILURE() << complaint;
}

}  // namespace fixkeep::integration
