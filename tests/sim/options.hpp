// Everything that makes one run different from another. All of it is drawn from the seed, and all
// of it is printed when a run fails.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>

#include "master/core/master_core.hpp"
#include "tests/sim/network.hpp"

namespace fixkeep::sim {

enum class Arrival : std::uint8_t {
  burst,    // everybody within a few milliseconds
  poisson,  // one after another, at random
  churn,    // as poisson, and players leave again
};

// What may go wrong. Means are of exponential-like random intervals; zero: it never happens.
struct Faults {
  Duration master_crash_mean{};
  Duration master_pause_mean{};
  Duration pause_most{};
  Duration mesh_cut_mean{};    // partitions and broken links between masters
  Duration worker_cut_mean{};  // the same between masters and workers
  Duration worker_crash_mean{};
  Duration worker_pause_mean{};
  Duration slow_mean{};
  double boot_failure = 0;
  double game_crash = 0;
  double port_taken = 0;
  bool scripted_in_masters = false;  // a test strikes by itself
  bool scripted_in_workers = false;
  bool scripted_naps = false;

  [[nodiscard]] bool in_masters() const {
    return scripted_in_masters ||
           (master_crash_mean + master_pause_mean + mesh_cut_mean).count() > 0;
  }
  [[nodiscard]] bool in_workers() const {
    return scripted_in_workers ||
           (worker_cut_mean + worker_crash_mean + worker_pause_mean + slow_mean).count() > 0;
  }
  [[nodiscard]] bool in_games() const { return boot_failure + game_crash + port_taken > 0; }
  [[nodiscard]] bool any() const { return in_masters() || in_workers() || in_games(); }
};

struct Options {
  std::uint64_t seed = 1;
  std::string strategy = "multiphase";
  lock::Quorum quorum = lock::Quorum::grid;
  master::Placement placement = master::Placement::roomiest;
  std::uint16_t masters = 3;
  std::uint32_t workers = 6;
  std::uint32_t zones = 2;
  std::uint32_t groups = 4;
  std::uint32_t players = 64;
  std::uint32_t capacity = 8;
  std::uint32_t room_limit = 1'000;  // of each worker
  Arrival arrival = Arrival::burst;
  Duration arrive_after{1'500'000};  // the masters and the workers meet first
  Duration arrive_within{20'000};    // burst: the width; else the length of the whole load
  Duration faults_until{20'000'000};
  Duration boot_most{1'000'000};
  Duration play_most{};  // zero: players stay
  Duration request_wait{30'000'000};
  Duration lock_wait{10'000'000};
  Duration lock_lease{5'000'000};
  Duration reservation{15'000'000};
  Duration close_empty_after{10'000'000};
  double parties = 0;       // share of requests that are parties
  double hang_ups = 0;      // share of clients that give up while they wait
  double never_claims = 0;  // share of clients that do not come to their seat
  NetworkOptions network;
  Faults faults;

  // Two holders are a violation: where the masters are without faults, and with a lock that is safe
  // under every partition unless masters sleep for long.
  [[nodiscard]] bool exclusive() const;
  // Rooms are counted exactly where nothing but the masters may fail and every seat is used.
  [[nodiscard]] bool counts_rooms() const;
  [[nodiscard]] bool ample() const { return room_limit >= players + 10; }
};

[[nodiscard]] Options draw_options(std::uint64_t seed);
[[nodiscard]] std::string describe(const Options& options);

}  // namespace fixkeep::sim
