// The JSON of a report. `--json` writes it, and the page of a report draws it (page/page.hpp). New
// keys can be added, but a key never changes its meaning. If a change makes files that older pages
// cannot draw, `schema` grows.
//
// Thread rule: free functions without state. Bounds: the JSON of a run has at most 400 times to
// match, 401 points of its curve and the fill of 200 rooms. For each lock in each setting, one run
// shows at most `most_told_rooms` of its rooms.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client-sim/judge/timeline.hpp"
#include "client-sim/report/results.hpp"

namespace fixkeep::client_sim {

inline constexpr std::size_t most_told_rooms = 40;

struct ChosenRooms {
  std::vector<const RoomLife*> rooms;  // sorted by group, then by time
  std::size_t left_out = 0;
  std::size_t collided_left_out = 0;  // omitted rooms with colliding orders
};

// Chooses at most `most` rooms. Rooms with colliding orders are chosen first, each together with
// the room that had the seats. The other rooms follow by the time of their order. REQUIRES:
// `timeline` outlives the result.
[[nodiscard]] ChosenRooms choose_rooms(const Timeline& timeline, std::size_t most);

// Returns the origin of a report: {"schema":1,"command":…,"machine":…,"when":…}.
[[nodiscard]] nlohmann::ordered_json report_origin(const std::string& command_line);

// Returns [{…}, …], one run per line.
[[nodiscard]] std::string runs_json(const std::vector<RunResult>& runs);

// Returns {…origin…,"runs":[…]}.
[[nodiscard]] std::string to_json(const nlohmann::ordered_json& origin,
                                  const std::vector<RunResult>& runs);

// Returns at most `most` of the values, rounded to three places. They are evenly spaced and
// ascending.
[[nodiscard]] nlohmann::ordered_json quantiles_json(std::vector<double> values,
                                                    std::size_t most = 400);

// Returns {"p50":…,"p90":…,"p99":…,"max":…}, rounded to three places.
[[nodiscard]] nlohmann::ordered_json percentiles_json(const Percentiles& times);

}  // namespace fixkeep::client_sim
