// A description says how the game of a mode is run: it is an entry of `games` in a worker's
// configuration.
//
// Texts with placeholders: command, environment, working_folder, files, stop.command and commands
// of probes. In braces may stand one of placeholders(), "port:NAME" for a port of `ports`, and
// "group:ATTRIBUTE" for an attribute of the players' group, empty if the group has none of that
// name; `attributes` says what each of these may be, see player_text.hpp. What else stands in
// braces stays as it is. Thread rule: values and free functions. Bounds: those of
// configs/worker.schema.json. Errors: config::Problems.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/config/loader.hpp"
#include "worker/core/room_host.hpp"
#include "worker/probe/core/probe_options.hpp"
#include "worker/runner/launch.hpp"
#include "worker/sdk/counters.hpp"
#include "worker/sdk/lists.hpp"
#include "worker/sdk/metadata.hpp"
#include "worker/shell/player_text.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::string_view to_string(KeepFolder keep);  // "if-failed"

struct GameDescription {
  ModeName mode;
  // The template of what starts its rooms, or starts them somewhere if it has a list_command.
  Launch launch;
  std::map<std::string, AttributeRule> attributes;  // of players, that texts have
  std::vector<std::string> ports;     // names of those beside the one that players are told
  std::uint32_t neighbour_ports = 0;  // that follow the one that players are told
  probe::ProbePlan probes;            // commands in it have placeholders as well
  SeatRule seats = SeatRule::told;
  Duration seat_time = std::chrono::hours{1};
  Metadata::Map labels;  // that the SDK of a room begins with; counters and lists likewise
  Counters::Map counters;
  Lists::Map lists;
  config::Json asked = config::Json::object();  // probes, ready, alive, alive_failures and players
                                                // as they were given
};

// Returns the name that {port+N} has among the ports which follow the one that players are told:
// "port+1".
[[nodiscard]] std::string neighbour_name(std::uint32_t number);

// "NAME=value" in its parts.
[[nodiscard]] std::pair<std::string_view, std::string_view> name_and_value(
    std::string_view variable);
// The lines of a file, each without the '\n' at its end.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

// "port" for {port}.
[[nodiscard]] const std::vector<std::string>& placeholders();

// REQUIRES: `entry` is valid.
[[nodiscard]] GameDescription read_game(const config::Json& entry);
// Whether the game of the entry is told its group when it starts, so that no room of it can be
// warm.
[[nodiscard]] bool needs_group(const config::Json& entry);
// Adds to `shown` what read_game() has read.
void show_game(const GameDescription& game, config::Json& shown);

// Beyond the schema: what the operating system could not pass to a process, placeholders that are
// not known, attributes of players without a rule, files outside of the room's folder.
void check_games(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::worker
