// A mode with its own players and its own judge, for example the laboratory's modes with widening
// rules (lab/pools).
//
// Thread rule: called on the thread of the comparison.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client-sim/cluster/distances.hpp"
#include "client-sim/fault_options.hpp"
#include "client-sim/load/event_reader.hpp"
#include "client-sim/load/observation.hpp"
#include "client-sim/load/workload.hpp"

namespace fixkeep::client_sim {

// The result of a run, as found by the mode's own judge.
class OwnFindings {
 public:
  OwnFindings() = default;
  virtual ~OwnFindings() = default;
  OwnFindings(const OwnFindings&) = delete;
  OwnFindings& operator=(const OwnFindings&) = delete;

  // Lists the faults in words, as RunResult::faults does. `promises`: true if the lock promises
  // that only one decision is made at a time.
  [[nodiscard]] virtual std::vector<std::string> faults(bool promises) const = 0;
  [[nodiscard]] virtual nlohmann::ordered_json to_json() const = 0;
};

// The judge's input: all observations of a run.
struct SeenRun {
  const std::vector<PlayerRecord>& players;
  const EventsRead& told;
  const std::vector<NodeEnd>& ends;
  const Distances& distances;
  const FaultOptions& faults;
  std::uint32_t boot_ms = 0;
  std::uint32_t wait_ms = 0;
};

// The players of one run.
class OwnPlayers {
 public:
  OwnPlayers() = default;
  virtual ~OwnPlayers() = default;
  OwnPlayers(const OwnPlayers&) = delete;
  OwnPlayers& operator=(const OwnPlayers&) = delete;

  [[nodiscard]] virtual const Workload& requests() const = 0;
  [[nodiscard]] virtual std::shared_ptr<const OwnFindings> judge(const SeenRun& seen) const = 0;
};

class OwnMode {
 public:
  OwnMode() = default;
  virtual ~OwnMode() = default;
  OwnMode(const OwnMode&) = delete;
  OwnMode& operator=(const OwnMode&) = delete;

  [[nodiscard]] virtual std::string file() const = 0;  // path of the mode's file
  [[nodiscard]] virtual std::size_t least_seats() const = 0;
  [[nodiscard]] virtual std::unique_ptr<const OwnPlayers> make_players(
      const WorkloadOptions& options) const = 0;
};

}  // namespace fixkeep::client_sim
