// A live run of a mode with widening rules: players, rooms and the findings of judge_pools().
//
// Thread rule: values and pure functions. Errors: no bill if events are missing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/load/observation.hpp"
#include "client-sim/own_mode.hpp"
#include "lab/pools/live_rules.hpp"
#include "lab/pools/pool_replay.hpp"
#include "lab/pools/team_judge.hpp"

namespace fixkeep::client_sim {

struct PoolRun final : OwnFindings {
  std::optional<PoolBill> bill;
  std::optional<TeamBill> teams;  // only for rules with teams
  std::vector<double> spreads;    // spreads of rooms with several requests, in units of the number
  PoolReplay replay;              // replay of the same players

  [[nodiscard]] std::vector<std::string> faults(bool promises) const override;
  [[nodiscard]] nlohmann::ordered_json to_json() const override;
};

// Returns for each room the highest value minus the lowest value of its players, from the answers
// to players. A player's value is the number in the first distance rule. Empty if there is no such
// rule.
[[nodiscard]] std::vector<double> spreads_of(const std::vector<PlayerRecord>& players,
                                             const PoolLoad& load,
                                             const master::plan::Rules& rules);

class PoolMode final : public OwnMode {
 public:
  PoolMode(std::string file, std::shared_ptr<const LiveRules> mode);

  [[nodiscard]] std::string file() const override { return file_; }
  [[nodiscard]] std::size_t least_seats() const override { return mode_->rules.size.least; }
  [[nodiscard]] std::unique_ptr<const OwnPlayers> make_players(
      const WorkloadOptions& options) const override;

 private:
  std::string file_;
  std::shared_ptr<const LiveRules> mode_;
};

}  // namespace fixkeep::client_sim
