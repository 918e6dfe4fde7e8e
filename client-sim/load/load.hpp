// Drives one cluster with one workload and writes down what is seen.
//
// What a player does: POST /v1/match to its master; on a lost connection, 429 or 5xx the next
// master, with the same player id, after a pause, at most `attempts` times; then it connects to the
// room, says its seat token and stays. A room that cannot be reached is a reason to ask again.
//
// What is measured: the time to match runs from the moment the player first issues its request
// until the last answer arrives, retries and pauses included. A connection that has to be made is
// part of it. With `preconnect` (burst only) every player has its first connection open beforehand,
// as a game client that has already logged in, or a benchmark with a keep-alive pool, has.
//
// Not to distort what it measures, the whole of it is one thread without any waiting but in the
// kernel; rooms are listed at most every `sample_every`, and less often if that takes long.
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
  std::chrono::milliseconds at{0};  // after the start
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
  bool leave_after_wait =
      false;                // who has waited in vain for as long as it asked does not ask again
  bool keep_alive = false;  // connections are used again by other players
  bool preconnect = true;   // burst only
  std::size_t connects_at_once = 256;  // of preconnect; a player that has a seat waits for nobody
  std::size_t idle_connections = 0;    // to the masters in turn, open all the time and never used
  std::chrono::milliseconds sample_every{100};
  std::chrono::milliseconds rest{20'000};  // longer than a reservation lives
  std::vector<Incident> incidents;         // by time; the run is not over before the last one
  std::function<void(const Progress&)> on_progress;
};

struct LoadResult {
  Observation seen;
  nlohmann::json locks = nlohmann::json::object();
  std::string strategy;  // as the masters call it
  std::size_t workers = 0;
  std::string failure;       // not empty: the cluster could not be driven at all
  bool interrupted = false;  // by SIGINT or SIGTERM
};

[[nodiscard]] LoadResult run_load(const Workload& workload, const LoadOptions& options);

}  // namespace fixkeep::client_sim
