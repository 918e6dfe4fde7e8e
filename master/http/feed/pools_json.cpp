#include "master/http/feed/pools_json.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

#include "master/http/match/why.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;

std::int64_t whole_ms(Duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

json pool_json(const PoolFacts& pool, std::int64_t steady_zero_ms) {
  const auto wall_ms_of = [&](TimePoint at) {
    return steady_zero_ms + whole_ms(at.time_since_epoch());
  };
  json claims = json::array();
  for (const PoolFacts::Claim& claim : pool.claims) {
    claims.push_back({{"since_ms", wall_ms_of(claim.since)},
                      {"players", claim.players},
                      {"numbers", claim.numbers}});
  }
  // Times count from the decision that reported them, so the text does not change during a wait.
  json why = why_json(pool.why, pool.why.at);
  if (!why.is_null()) {
    why.erase("ago_ms");
    why["at_ms"] = wall_ms_of(pool.why.at);
  }
  return {{"pool", pool.pool.text()},
          {"requests", pool.requests},
          {"decided", pool.decided},
          {"claims", std::move(claims)},
          {"why", std::move(why)}};
}

}  // namespace

std::string pools_json(const std::vector<ModePools>& modes, std::int64_t steady_zero_ms) {
  json all = json::array();
  for (const ModePools& mode : modes) {
    json pools = json::array();
    for (const PoolFacts& pool : mode.pools) pools.push_back(pool_json(pool, steady_zero_ms));
    all.push_back({{"mode", mode.mode.text()},
                   {"statistics", json::parse(mode.statistics)},
                   {"pools", std::move(pools)},
                   {"more", mode.more}});
  }
  return json{{"pools", std::move(all)}}.dump();
}

json rules_json(const plan::Rules& rules) {
  json distances = json::array();
  for (const plan::DistanceRule& rule : rules.distances) {
    json steps = json::array();
    for (const plan::Step& step : rule.steps) {
      const bool any = step.most == plan::no_limit;
      steps.push_back(
          {{"after_ms", whole_ms(step.after)}, {"most", any ? json(nullptr) : json(step.most)}});
    }
    distances.push_back({{"number", rule.number},
                         {"widening", rule.widening == plan::Widening::both ? "both" : "older"},
                         {"steps", std::move(steps)}});
  }
  return {{"numbers", rules.numbers},
          {"distances", std::move(distances)},
          {"players_least", rules.size.least},
          {"players_most", rules.size.most},
          {"wait_ms", whole_ms(rules.wait)}};
}

}  // namespace fixkeep::master
