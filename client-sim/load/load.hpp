// Drives one cluster with one workload and records the observations.
//
// A player sends POST /v1/match to its master. After a lost connection, 429 or 5xx the player
// pauses and asks the next master with the same player id, at most `attempts` times. With a seat,
// the player connects to the room, sends its seat token and stays. If the room is unreachable, the
// player requests another seat.
//
// The time to match starts at the player's first request and ends at the arrival of its last
// answer. It includes retries, pauses and new connections. With `preconnect` (burst only) every
// player's first connection is opened beforehand. A player is then like a game client after its
// login, or like a benchmark with a keep-alive pool.
//
// Everything runs in one thread. Apart from incidents, the thread waits only for sockets and
// timers, so the measured times are right. Rooms are listed every `sample_every`. If the lists take
// long, they are requested less often. Thread rule: blocks the calling thread until the run is
// over.
// Bounds: see `connects_at_once`, `attempts`, `patience` and `rest` of LoadOptions.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client-sim/load/api.hpp"
#include "client-sim/load/observation.hpp"
#include "client-sim/load/workload.hpp"

namespace fixkeep::client_sim {

struct Progress {
  std::size_t players = 0;
  std::size_t asked = 0;
  std::size_t decided = 0;  // connected or failed
  std::size_t connected = 0;
  std::size_t rooms = 0;
  double elapsed_ms = 0;
};

// An action on the cluster under load. The load waits until the action returns, so the action must
// not block for long.
struct Incident {
  std::chrono::milliseconds at{0};  // time after the start
  std::function<void()> happen;
};

struct LoadOptions {
  std::vector<Endpoint> masters;
  AdminSide admin;  // endpoints for requests about rooms, workers and locks
  std::string mode = "duel";
  std::string version = "1";
  Arrival arrival = Arrival::burst;
  std::uint32_t capacity = 8;
  std::chrono::milliseconds wait{30'000};  // wait_ms of each request
  std::uint32_t attempts = 5;
  std::chrono::milliseconds patience{60'000};  // a player gives up after this long
  bool leave_after_wait = false;  // true: after one full wait without a seat, a player gives up
  bool keep_alive = false;        // a connection is used again by other players
  bool preconnect = true;         // burst only
  std::size_t connects_at_once = 256;  // for preconnect only; not for connections to rooms
  std::size_t idle_connections = 0;    // without a player, spread evenly over the masters
  std::chrono::milliseconds sample_every{100};
  // Longest wait until the cluster is at rest (rest.hpp). It is longer than a reservation lasts.
  std::chrono::milliseconds rest{20'000};
  std::vector<Incident> incidents;  // sorted by time; the run lasts at least until the last
                                    // incident
  std::function<void(const Progress&)> on_progress;
};

struct LoadResult {
  Observation seen;
  nlohmann::json locks = nlohmann::json::object();
  std::string strategy;  // the masters' name of the strategy
  std::size_t workers = 0;
  std::string failure;       // not empty: the load could not start
  bool interrupted = false;  // ended by SIGINT or SIGTERM
};

[[nodiscard]] LoadResult run_load(const Workload& workload, const LoadOptions& options);

}  // namespace fixkeep::client_sim
