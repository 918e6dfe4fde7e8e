// A description defines how a mode's game is run. It is an entry of `games` in a worker's
// configuration.
//
// These texts can have placeholders: command, environment, working_folder, files, stop.command and
// commands of probes. A placeholder in braces is one of placeholders(), "port:NAME" for a port of
// `ports`, or "group:ATTRIBUTE" for an attribute of the players' group. A missing attribute becomes
// an empty text. `attributes` restricts the values (player_text.hpp). Other text in braces is not
// changed.
// Thread rule: values and free functions. Bounds: those of the keys. Errors: config::Problems.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/config/fields.hpp"
#include "worker/core/room_host.hpp"
#include "worker/runner/launch.hpp"
#include "worker/runner/runners.hpp"
#include "worker/sdk/counters.hpp"
#include "worker/sdk/lists.hpp"
#include "worker/sdk/metadata.hpp"
#include "worker/shell/game_match.hpp"
#include "worker/shell/game_probes.hpp"
#include "worker/shell/player_text.hpp"

namespace fixkeep::worker {

struct GameDescription {
  ModeName mode;
  // The template for the launch of each room. If it has a list_command, the rooms start elsewhere.
  Launch launch;
  std::map<std::string, AttributeRule> attributes;  // rules for attributes of players in texts
  std::vector<std::string> ports;  // names of the ports in addition to the players' port
  AskedKeys asked;
  probe::ProbePlan probes;  // by `asked`; the commands of probes have placeholders too
  SeatRule seats = SeatRule::told;
  Duration seat_time = std::chrono::hours{1};
  Metadata::Map labels;  // initial labels in a room's SDK; likewise counters and lists
  Counters::Map counters;
  Lists::Map lists;
  MatchData match_data = MatchData::fixkeep;
};
[[nodiscard]] std::string neighbour_name(std::uint32_t number);

// Splits "NAME=value".
[[nodiscard]] std::pair<std::string_view, std::string_view> name_and_value(
    std::string_view variable);
// Returns the lines of a file without the '\n' at their ends.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

// Returns the names for braces: "port" for {port} and so on.
[[nodiscard]] const std::vector<std::string>& placeholders();

// Describes an entry of `games` for a runner. Null: for all runners together. When an entry is
// read, this also sets the values that follow from the keys.
void describe(config::Fields& fields, GameDescription& game, ModeOptions& mode,
              const RunnerKind* runner);
// Returns whether the game receives its group at its start. No room of such a game can be warm.
[[nodiscard]] bool needs_group(const config::Json& entry);

// Makes the checks that the schema cannot make. Problems: texts that the operating system could not
// pass to a process, unknown placeholders, attributes of players without a rule, files outside of
// the room's folder.
void check_games(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::worker
