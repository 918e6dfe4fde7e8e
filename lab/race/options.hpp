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
  std::string listen = "127.0.0.1";  // the page
  std::uint16_t port = 8090;
  ClusterOptions cluster;                    // options of both clusters
  std::uint32_t groups = 8;                  // groups of a round
  std::uint32_t group_players = 0;           // players of a group; 0: the seats of a room
  std::uint32_t rounds = 0;                  // 0: until it is stopped
  std::uint64_t seed = 1;                    // decides the order of requests and their masters
  RaceSettings settings;                     // settings at the start
  std::string rules_file;                    // path as given
  std::shared_ptr<const LiveRules> rules{};  // null: the players of a group are all equal
};

void add_race_options(CLI::App& command, RaceOptions& options);

// Reads the rules if a file was given. Each group of a round becomes a pool then: its players name
// it by "region" even if the mode does not ask for it. Returns the mistake.
[[nodiscard]] std::string complete_race_rules(RaceOptions& options, const CLI::App& command);

// Understands what the options mean together: fills in what follows from others.
void complete_race_options(RaceOptions& options);

}  // namespace fixkeep::client_sim
