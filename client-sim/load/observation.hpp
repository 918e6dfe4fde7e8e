// An Observation is what was seen of one run from outside: the input of the judge and of the
// reports.
//
// Times are milliseconds after the start of the run by one steady clock.
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
  lost,        // no seat and no clear error: no answer, or a senseless one
  refused,     // a clear error (problem+json) was the last answer
  not_let_in,  // got a seat, but the room refused the player or was gone
  connected,   // the room said WELCOME
};

inline constexpr double never = std::numeric_limits<double>::infinity();

struct PlayerRecord {
  std::size_t group = 0;
  Fate fate = Fate::lost;
  Door door = Door::not_reached;  // door of the last seat
  bool seated = false;            // some answer was a seat
  std::string room;               // room of the last seat
  std::string group_key;          // the master's name for the group, from the answer
  std::string reason;             // reason of the last error, for the summary
  std::uint32_t retries = 0;      // requests after the first
  double asked_ms = 0;            // the player issued its first request
  double answered_ms = never;     // the answer that decided: the last one
  double welcome_ms = never;      // time of the welcome in the room
  double left_ms = never;         // closed its connection
  bool dropped = false;           // the room closed the connection under the player

  [[nodiscard]] double match_ms() const { return answered_ms - asked_ms; }
};

// One room as one sample saw it.
struct Sighting {
  std::uint32_t room = 0;  // index into Observation::rooms
  Phase phase = Phase::starting;
  std::uint32_t taken = 0;
};

struct Sample {
  double at_ms = 0;
  std::uint32_t rooms = 0;     // made since the start of the run and not closed
  std::uint32_t starting = 0;  // starting rooms among these
  std::uint32_t taken = 0;     // seats taken in them
  std::vector<Sighting> sightings = {};
};

struct SeenRoom {
  std::string id;
  std::string group_key;
  std::uint32_t capacity = 0;
  bool existed_before = false;  // existed at the start of the run
  std::uint32_t taken_before = 0;
  std::uint32_t most_taken = 0;     // most taken seats in any sample
  std::uint32_t most_inside = 0;    // players of ours in it at one time
  std::uint32_t inside_at_end = 0;  // players of ours in it when the load was over
};

// A cluster at rest according to one master.
struct RestingView {
  std::string master;
  bool answered = false;
  std::vector<RoomRow> rooms = {};
};

struct Observation {
  Arrival arrival = Arrival::burst;
  std::uint32_t capacity = 0;
  events::EventTime began;              // the start of the run by the clock of this machine
  std::size_t idle_connections = 0;     // connections open beside those of the players
  double load_ms = 0;                   // time until all players were decided, and leavers had left
  std::vector<double> own_lateness_ms;  // lateness of client-sim in this time (OwnLateness)
  std::vector<PlayerRecord> players;
  std::vector<SeenRoom> rooms;
  std::vector<Sample> samples;
  std::uint64_t rooms_started = 0;         // rooms started during the run, by the workers' count
  std::vector<RestingView> while_seated;   // all players that stay are in; empty for churn
  std::vector<RestingView> after_leaving;  // all have left
  std::size_t orphaned_processes = 0;      // outlived their worker (own cluster only)
};

// A node was killed then. The requests at a master that is killed wait no longer there: their
// players ask another master again under the same name.
struct NodeEnd {
  std::string node;
  events::EventTime at;
};

}  // namespace fixkeep::client_sim
