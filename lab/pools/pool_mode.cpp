#include "lab/pools/pool_mode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "client-sim/judge/collisions.hpp"
#include "client-sim/report/run_json.hpp"
#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {
namespace {

// Returns the tolerance of the judge. Allows for the distance, because a duplicate seat is given
// back only after a one-way delay. Also allows for the time that a claim is on its way to a master,
// which may be stopped: on its way, the claim's age does not grow.
PoolTolerance tolerance_of(const Distances& distances, const FaultOptions& faults) {
  PoolTolerance tolerance;
  const std::chrono::milliseconds far{slowest_round_trip_ms(distances)};
  tolerance.clocks += far;
  tolerance.gathering += far + std::chrono::milliseconds{faults.stop_master_ms};
  return tolerance;
}

class PoolPlayers final : public OwnPlayers {
 public:
  PoolPlayers(std::shared_ptr<const LiveRules> mode, PoolLoad load)
      : mode_(std::move(mode)), load_(std::move(load)) {}

  [[nodiscard]] const Workload& requests() const override { return load_.requests; }

  [[nodiscard]] std::shared_ptr<const OwnFindings> judge(const SeenRun& seen) const override {
    auto run = std::make_shared<PoolRun>();
    auto rules = mode_->rules;
    rules.wait = std::min<Duration>(rules.wait, std::chrono::milliseconds{seen.wait_ms});
    run->replay = replay_load(rules, load_, std::chrono::milliseconds{seen.boot_ms});
    run->spreads = spreads_of(seen.players, load_, mode_->rules);
    if (seen.told.failure.empty()) {
      auto events = seen.told.events;
      put_in_order(events);
      run->bill = judge_pools(events, mode_->rules, load_.brought,
                              tolerance_of(seen.distances, seen.faults), seen.ends);
      if (mode_->rules.teams) {
        run->teams = judge_teams(events, mode_->rules, load_.brought, heard_by(seen.players));
      }
    }
    return run;
  }

 private:
  [[nodiscard]] HeardSeats heard_by(const std::vector<PlayerRecord>& players) const {
    HeardSeats heard;
    for (std::size_t i = 0; i < players.size() && i < load_.requests.size(); ++i) {
      if (!players[i].seated) continue;
      heard[PlayerId{load_.requests[i].id}] = {players[i].room, players[i].team};
    }
    return heard;
  }

  std::shared_ptr<const LiveRules> mode_;
  PoolLoad load_;
};

}  // namespace

std::vector<std::string> PoolRun::faults(bool promises) const {
  std::vector<std::string> list;
  if (!bill) return list;
  const auto blame = [&list](std::uint64_t count, std::string_view one, std::string_view several) {
    if (count > 0) list.push_back(fmt::format("{} {}", count, count == 1 ? one : several));
  };
  if (promises) {
    blame(bill->unjustified(), "room that need not have been made",
          "rooms that need not have been made");
  }
  blame(bill->too_wide, "decision beyond the limits", "decisions beyond the limits");
  blame(bill->seated_twice, "player with seats in two rooms", "players with seats in two rooms");
  if (teams) {
    blame(teams->unequal, "room with unequal teams", "rooms with unequal teams");
    blame(teams->unlike, "room whose players heard other teams than its game",
          "rooms whose players heard other teams than their games");
  }
  return list;
}

nlohmann::ordered_json PoolRun::to_json() const {
  nlohmann::ordered_json object = {{"spread", percentiles_json(percentiles(spreads))},
                                   {"spreads", quantiles_json(spreads)},
                                   {"replay",
                                    {{"seated", replay.seated},
                                     {"rooms", replay.rooms},
                                     {"wait_ms", percentiles_json(percentiles(replay.waits_ms))},
                                     {"waits_ms", quantiles_json(replay.waits_ms)},
                                     {"spread", percentiles_json(percentiles(replay.spreads))},
                                     {"spreads", quantiles_json(replay.spreads)}}}};
  if (!bill) return object;
  object["decisions"] = bill->decisions;
  object["fills"] = bill->fills;
  object["orders"] = bill->orders;
  object["refused_orders"] = bill->refused;
  object["too_wide"] = bill->too_wide;
  object["needless"] = bill->needless;
  object["loose"] = bill->loose;
  object["seated_twice"] = bill->seated_twice;
  object["words"] = bill->words;
  if (!teams) return object;
  object["teams"] = {{"rooms", teams->rooms},
                     {"unequal", teams->unequal},
                     {"unlike", teams->unlike},
                     {"words", teams->words}};
  return object;
}

std::vector<double> spreads_of(const std::vector<PlayerRecord>& players, const PoolLoad& load,
                               const master::plan::Rules& rules) {
  std::vector<double> spreads;
  if (rules.distances.empty()) return spreads;
  const std::size_t number = rules.distances.front().number;
  std::map<std::string, std::vector<std::int64_t>> rooms;
  for (std::size_t i = 0; i < players.size() && i < load.requests.size(); ++i) {
    if (!players[i].seated) continue;
    rooms[players[i].room].push_back(load.brought.at(PlayerId{load.requests[i].id}).at(number));
  }
  for (const auto& [room, numbers] : rooms) {
    if (numbers.size() < 2) continue;
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    spreads.push_back(static_cast<double>(*high - *low));
  }
  return spreads;
}

PoolMode::PoolMode(std::string file, std::shared_ptr<const LiveRules> mode)
    : file_(std::move(file)), mode_(std::move(mode)) {}

std::unique_ptr<const OwnPlayers> PoolMode::make_players(const WorkloadOptions& options) const {
  return std::make_unique<PoolPlayers>(mode_, make_pool_load(*mode_, options));
}

}  // namespace fixkeep::client_sim
