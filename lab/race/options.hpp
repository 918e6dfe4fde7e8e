// The options of `race`.
//
// Thread rule: values and free functions without state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "client-sim/cluster/config.hpp"
#include "lab/race/settings.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

struct LiveRules;

struct RaceOptions {
  std::string listen = "127.0.0.1";  // address of the page
  std::uint16_t port = 8090;
  ClusterOptions cluster;                    // for both clusters
  std::uint32_t groups = 8;                  // groups of a round
  std::uint32_t group_players = 0;           // players in a group; 0: the number of seats of a room
  std::uint32_t rounds = 0;                  // 0: until the race is stopped
  std::uint64_t seed = 1;                    // seed for the order of requests and their masters
  RaceSettings settings;                     // settings at the start
  std::string against = "none";              // lock of the left cluster
  std::string rules_file;                    // path from the command line
  std::shared_ptr<const LiveRules> rules{};  // null: all players of a group are equal
};

void add_race_options(CLI::App& command, RaceOptions& options);

// Reads the file of rules, if there is one. With such a file each group of a round is a pool. The
// players name their pool in "region", even if the mode does not require this attribute. Returns
// the mistake.
[[nodiscard]] std::string complete_race_rules(RaceOptions& options, const CLI::App& command);

// Fills in options that follow from other options.
void complete_race_options(RaceOptions& options);

}  // namespace fixkeep::client_sim
