// An Observation is the outside view of one run. It is the input of the judge and of the reports.
//
// Times are in milliseconds after the start of the run, by one steady clock.
// Thread rule: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "client-sim/load/api.hpp"
#include "client-sim/load/door.hpp"
#include "client-sim/load/workload.hpp"
#include "common/events/event.hpp"

namespace fixkeep::client_sim {

enum class Fate : std::uint8_t {
  lost,        // no seat and no clear error: no answer, or a malformed answer
  refused,     // a clear error (problem+json) was the last answer
  not_let_in,  // the player got a seat, but the room refused the player or was gone
  connected,   // the room answered WELCOME
};

inline constexpr double never = std::numeric_limits<double>::infinity();

struct PlayerRecord {
  std::size_t group = 0;
  Fate fate = Fate::lost;
  Door door = Door::not_reached;  // door of the last seat
  bool seated = false;            // at least one answer was a seat
  std::string room;               // room of the last seat
  std::string team;               // team of the last seat; empty: none
  bool wrong_token = false;       // a token named another player, room or team than its answer
  std::string group_key;          // the master's name for the group, from the answer
  std::string reason;             // reason of the last error, for the summary
  std::uint32_t retries = 0;      // requests after the first
  double asked_ms = 0;            // time of the player's first request
  double answered_ms = never;     // time of the last answer
  double welcome_ms = never;      // time of the welcome in the room
  double left_ms = never;         // time at which the player closed its connection
  bool dropped = false;           // the room closed the player's connection

  [[nodiscard]] double match_ms() const { return answered_ms - asked_ms; }
};

// One room in one sample.
struct Sighting {
  std::uint32_t room = 0;  // index into Observation::rooms
  Phase phase = Phase::starting;
  std::uint32_t taken = 0;
};

struct Sample {
  double at_ms = 0;
  std::uint32_t rooms = 0;     // made since the start of the run and not closed
  std::uint32_t starting = 0;  // starting rooms among these
  std::uint32_t taken = 0;     // taken seats in these rooms
  std::vector<Sighting> sightings = {};
};

struct SeenRoom {
  std::string id;
  std::string group_key;
  std::uint32_t capacity = 0;
  bool existed_before = false;  // existed at the start of the run
  std::uint32_t taken_before = 0;
  std::uint32_t most_taken = 0;     // most taken seats in any sample
  std::uint32_t most_inside = 0;    // most players of this run inside at one time
  std::uint32_t inside_at_end = 0;  // players of this run inside at the end of the load
};

// One master's view of a cluster at rest.
struct RestingView {
  std::string master;
  bool answered = false;
  std::vector<RoomRow> rooms = {};
};

struct Observation {
  Arrival arrival = Arrival::burst;
  std::uint32_t capacity = 0;
  events::EventTime began;           // start of the run by this machine's clock
  std::size_t idle_connections = 0;  // open connections that no player uses
  double load_ms = 0;                // time until no player waited and all limited stays were over
  std::vector<double> own_lateness_ms;  // client-sim's own lateness under load (OwnLateness)
  std::vector<PlayerRecord> players;
  std::vector<SeenRoom> rooms;
  std::vector<Sample> samples;
  std::uint64_t rooms_started = 0;        // rooms started during the run, by the workers' count
  std::vector<RestingView> while_seated;  // view with all remaining players inside; empty for churn
  std::vector<RestingView> after_leaving;  // view after all players have left
  std::size_t orphaned_processes = 0;      // games that outlived their worker (own cluster only)
};

// The time at which a node was killed. The kill of a master ends the requests that wait at this
// master. The players send these requests again to another master, under the same player ids.
struct NodeEnd {
  std::string node;
  events::EventTime at;
};

}  // namespace fixkeep::client_sim
