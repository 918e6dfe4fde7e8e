// Drives one cluster with one workload and records the observations.
//
// A player sends POST /v1/match to its master. After a lost connection, 429 or 5xx it pauses and
// asks the next master with the same player id. It asks at most `attempts` times. Then it connects
// to the room, sends its seat token and stays. If the room cannot be reached it asks again.
//
// The time to match runs from the player's first request until the last answer arrives. It has
// retries, pauses and new connections in it. With `preconnect` (burst only) every player has its
// first connection open beforehand like a game client after its login or a benchmark with a
// keep-alive pool.
//
// All of it is one thread that waits in the kernel only. This keeps the measurement true. Rooms are
// listed at most every `sample_every` and less often if that takes long.
// Thread rule: blocks the calling thread until the run is over.
// Bounds: `connects_at_once`, `attempts`, `patience`, `rest`.
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

// Something that is done to the cluster while it is under load. It may not block for long: the load
// waits for it.
struct Incident {
  std::chrono::milliseconds at{0};  // time after the start
  std::function<void()> happen;
};

struct LoadOptions {
  std::vector<Endpoint> masters;
  AdminSide admin;  // rooms, workers and locks are looked up there
  std::string mode = "duel";
  std::string version = "1";
  Arrival arrival = Arrival::burst;
  std::uint32_t capacity = 8;
  std::chrono::milliseconds wait{30'000};  // wait_ms of each request
  std::uint32_t attempts = 5;
  std::chrono::milliseconds patience{60'000};  // a player waits for no seat after this long
  bool leave_after_wait = false;       // a player does not ask again after a full wait in vain
  bool keep_alive = false;             // connections are used again by other players
  bool preconnect = true;              // burst only
  std::size_t connects_at_once = 256;  // preconnect only; players with a seat do not wait
  std::size_t idle_connections = 0;    // connections to the masters in turn; never used
  std::chrono::milliseconds sample_every{100};
  std::chrono::milliseconds rest{20'000};  // longer than a reservation lives
  std::vector<Incident> incidents;         // by time; the run outlasts the last one
  std::function<void(const Progress&)> on_progress;
};

struct LoadResult {
  Observation seen;
  nlohmann::json locks = nlohmann::json::object();
  std::string strategy;  // name of the strategy at the masters
  std::size_t workers = 0;
  std::string failure;       // not empty: the cluster could not be driven at all
  bool interrupted = false;  // ended by SIGINT or SIGTERM
};

[[nodiscard]] LoadResult run_load(const Workload& workload, const LoadOptions& options);

}  // namespace fixkeep::client_sim
