// The outcome of one run with what is needed to report it, and the two plain outputs: JSON, table.
//
// Thread rule: values and free functions without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/cluster/distances.hpp"
#include "client-sim/judge/collisions.hpp"
#include "client-sim/judge/judge.hpp"
#include "client-sim/judge/observation.hpp"

namespace fixkeep::client_sim {

struct CurveSample {
  double at_ms = 0;
  std::uint32_t rooms = 0;
  std::uint32_t seats = 0;
};

struct RunResult {
  std::string lock;
  std::size_t masters = 0;
  std::size_t workers = 0;
  std::size_t players = 0;
  std::size_t groups = 0;
  std::uint32_t capacity = 0;
  std::int64_t boot_ms = -1;           // -1: not known, the cluster was there already
  std::optional<Distances> distances;  // without: not known, the cluster was there already
  std::string arrival;
  std::uint64_t seed = 0;
  Verdict verdict;
  std::optional<CollisionBill> bill;  // nothing: not all events are known
  std::vector<CurveSample> curve;
  nlohmann::json lock_stats = nlohmann::json::object();
  std::vector<std::string> complaints;  // processes that ended early, or would not end

  // What a run may be blamed for, in words; empty if it is fine.
  [[nodiscard]] std::vector<std::string> faults() const;
};

// "none" promises nothing and is there to show what happens then.
[[nodiscard]] bool promises_no_duplicates(const std::string& lock);

[[nodiscard]] std::vector<CurveSample> make_curve(const Observation& seen);

// {"runs":[{…}]}, one run a line.
[[nodiscard]] std::string to_json(const std::vector<RunResult>& runs);

// The strategies in the order of their first run.
[[nodiscard]] std::vector<std::string> strategies(const std::vector<RunResult>& runs);
[[nodiscard]] std::vector<const RunResult*> runs_of(const std::vector<RunResult>& runs,
                                                    const std::string& lock);

using Table = std::vector<std::vector<std::string>>;  // the first row is the heading

// A row for each run if there are few; in any case the figures of an only run, or min / median /
// max over the seeds, for each strategy.
[[nodiscard]] Table runs_table(const std::vector<RunResult>& runs);
[[nodiscard]] Table seeds_table(const std::vector<RunResult>& runs);

// Columns aligned for a terminal: the first to the left, the others to the right.
[[nodiscard]] std::string to_text(const Table& table);

// 12.3, 1 234: as few digits as say something.
[[nodiscard]] std::string format_ms(double value);

}  // namespace fixkeep::client_sim
