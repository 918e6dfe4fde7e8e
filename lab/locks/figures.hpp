// The figures are what was measured of each lock strategy; the plain outputs are a table and JSON.
//
// Where rounds were repeated, a figure is the median over them: the machine may have been slow in
// one of them. Ratios are of times of the same round. They were taken in turns in the same process.
// Thread rule: values and free functions without state.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

struct UncontendedRound {
  double p50_us = 0;  // acquire and release, at once again
  double p99_us = 0;
  double round_trip_us = 0;      // p50 of a framed message to one peer and back
  double round_trip_all_us = 0;  // p50 of one to every peer, until the last one is back
  double messages = 0;           // messages of all nodes per acquisition
  double bytes = 0;
};

struct ContendedRound {
  double per_second = 0;  // grants, all nodes together
  double handovers_per_second = 0;
  double fairness = 0;
  double wait_p50_us = 0;
  double wait_p99_us = 0;
  double longest_wait_ms = 0;
  std::uint64_t longest_overtaking = 0;
  double messages = 0;
  double bytes = 0;
  std::uint64_t losses = 0;
  std::uint64_t double_holders = 0;
  std::uint64_t tokens_fell = 0;
};

struct LockFigures {
  std::string lock;
  std::vector<UncontendedRound> uncontended;
  std::vector<ContendedRound> one_key;
  std::vector<ContendedRound> many_keys;
  std::vector<double> without_holder_ms;  // time without a holder after each kill of a holder
  std::uint64_t never_granted = 0;        // kills without a next grant until the dead node was back
  std::uint64_t granted_before_kill = 0;  // another had it although the holder lived
  std::string failure;                    // why figures are missing
};

// Says in words what a lock may be blamed for; empty if it is fine. The control group promises
// nothing.
[[nodiscard]] std::vector<std::string> faults_of(const LockFigures& figures);

// Medians over the rounds; no value without a round.
struct LockSummary {
  std::optional<UncontendedRound> uncontended;
  std::optional<double> ratio;      // median of the rounds' p50 / round_trip
  std::optional<double> ratio_all;  // the same to the round trip to all peers
  std::optional<ContendedRound> one_key;
  std::optional<ContendedRound> many_keys;
  std::optional<Spread> without_holder_ms;  // all kills; infinite: never granted
};
[[nodiscard]] LockSummary summarise(const LockFigures& figures);

// 1 234 567, 12.3: as few digits as say something. Infinite: "never".
[[nodiscard]] std::string short_number(double value);

// One row a strategy. After kills it is "never" if no node was granted the lock after one of them.
// The table of failures begins with the best: no two holders, no duplicates and the shortest time
// without a holder. "never" is the longest. `bursts` are the runs of the main job. They may be
// missing.
[[nodiscard]] Table lock_cost_table(const std::vector<LockFigures>& all);
[[nodiscard]] Table lock_contention_table(const std::vector<LockFigures>& all);
[[nodiscard]] Table lock_failure_table(const std::vector<LockFigures>& all,
                                       const std::vector<RunResult>& bursts);

// {…origin…,"locks":[{…}],"runs":[…]} with one strategy or run a line.
[[nodiscard]] std::string to_json(const nlohmann::ordered_json& origin,
                                  const std::vector<LockFigures>& all,
                                  const std::vector<RunResult>& bursts);

}  // namespace fixkeep::client_sim
