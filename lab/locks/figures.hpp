// The measured figures of each lock strategy, and the output of these figures as tables and JSON.
//
// A figure from several rounds is the median of the rounds, because the machine may have been slow
// in one round. A ratio divides two durations of the same round, measured alternately in the same
// process.
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
  double p50_us = 0;  // acquire and release, repeated without pause
  double p99_us = 0;
  double round_trip_us = 0;      // p50 of a framed message to one peer and its answer
  double round_trip_all_us = 0;  // p50 of messages to all peers until the last answer
  double messages = 0;           // messages per acquisition, all nodes
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

// The times without a holder after each fault.
struct Gaps {
  std::vector<double> without_holder_ms;
  std::uint64_t never_granted = 0;  // faults after which no node got a grant until the repair
};

struct LockFigures {
  std::string lock;
  std::vector<UncontendedRound> uncontended;
  std::vector<ContendedRound> one_key;
  std::vector<ContendedRound> many_keys;
  Gaps killed;                            // after SIGKILL, which closes the holder's sockets
  Gaps vanished;                          // after SIGSTOP, which closes none
  Gaps cut;                               // after a cut of the holder's outgoing bytes
  std::uint64_t two_believers = 0;        // grants while the cut-off holder believed it still held
  std::uint64_t unfenced_believers = 0;   // two_believers without a fence
  Gaps leader;                            // longest time between two grants, after a leader's death
  std::uint64_t granted_before_kill = 0;  // grants to another node before its holder's end
  std::string failure;                    // reason for missing figures
};

// The faults of a lock, in words; empty if there are none. The strategy `none` promises nothing.
[[nodiscard]] std::vector<std::string> faults_of(const LockFigures& figures);

// Medians over the rounds; no value if no round was measured.
struct LockSummary {
  std::optional<UncontendedRound> uncontended;
  std::optional<double> ratio;      // median over the rounds of p50 / round_trip
  std::optional<double> ratio_all;  // median over the rounds of p50 / round_trip_all
  std::optional<ContendedRound> one_key;
  std::optional<ContendedRound> many_keys;
  // Times without a holder; infinite: no grant followed.
  std::optional<Spread> killed_ms;
  std::optional<Spread> vanished_ms;
  std::optional<Spread> cut_ms;
  std::optional<Spread> leader_ms;
};
[[nodiscard]] LockSummary summarise(const LockFigures& figures);

// Formats a number with few digits: "1 234 567", "12.3". Infinite: "never".
[[nodiscard]] std::string short_number(double value);

// Explains the columns of faults in the table.
inline constexpr const char* faults_explained =
    "Cut: the holder's bytes are lost while it hears the others. Two believe: the old holder does "
    "not\nknow yet that it has lost the lock; the new holder is then told to fence. Leader dead: "
    "the longest\ntime without a grant after the coordinator or the leading server is killed. It "
    "is \"never\" for a\nserver that is alone, and \"–\" without a leader.\n";

// Tables with one row for each strategy. If no grant followed a kill, the time without a holder
// after this kill is "never". The table of failures is sorted, best first: by the number of times
// with two holders, then by the duplicate rooms, then by the longest time without a holder ("never"
// is longest). `bursts`: the runs with bursts of players, if any.
[[nodiscard]] Table lock_cost_table(const std::vector<LockFigures>& all);
[[nodiscard]] Table lock_contention_table(const std::vector<LockFigures>& all);
[[nodiscard]] Table lock_failure_table(const std::vector<LockFigures>& all,
                                       const std::vector<RunResult>& bursts);

// Writes {…origin…,"locks":[{…}],"runs":[…]} with one strategy or run on each line.
[[nodiscard]] std::string to_json(const nlohmann::ordered_json& origin,
                                  const std::vector<LockFigures>& all,
                                  const std::vector<RunResult>& bursts);

}  // namespace fixkeep::client_sim
