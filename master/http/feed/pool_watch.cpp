#include "master/http/feed/pool_watch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "master/core/master_core.hpp"
#include "master/http/match/desk.hpp"
#include "master/rules/plan/brings.hpp"

namespace fixkeep::master {
namespace {

class PoolSurvey {
 public:
  explicit PoolSurvey(std::vector<ModePools>& modes) : modes_(modes) {}

  void take(const MasterCore& core, TicketId ticket) {
    const auto claim = core.pool_claim(ticket);
    if (!claim) return;
    PoolFacts* const pool = pool_of(*claim);
    if (pool == nullptr) return;
    pool->requests = claim->requests;
    if (!claim->undecided) {
      ++pool->decided;
      return;
    }
    // A claim with several requests is shown once.
    if (pool->claims.size() >= PoolWatch::claims_most || !seen_.insert(claim->number).second) {
      return;
    }
    if (pool->claims.empty()) pool->why = core.why(ticket).value_or(WhyWaits{});
    const auto brings = plan::parse_brings(claim->claim.brings, claim->rules);
    if (!brings) return;
    const auto end =
        brings->numbers.begin() + static_cast<std::ptrdiff_t>(claim->rules.numbers.size());
    pool->claims.push_back({claim->since, claim->claim.seats(), {brings->numbers.begin(), end}});
  }

 private:
  struct Place {
    std::size_t mode = 0;
    std::size_t pool = 0;
  };

  // Returns null if the pool is left out or its mode no longer has rules.
  PoolFacts* pool_of(const PoolClaim& claim) {
    if (left_out_.contains(claim.pool)) return nullptr;
    const auto known = places_.find(claim.pool);
    if (known != places_.end()) return &modes_[known->second.mode].pools[known->second.pool];
    const auto mode = std::find_if(modes_.begin(), modes_.end(),
                                   [&](const ModePools& each) { return each.mode == claim.mode; });
    if (mode == modes_.end()) return nullptr;
    if (places_.size() >= PoolWatch::pools_most) {
      left_out_.insert(claim.pool);
      ++mode->more;
      return nullptr;
    }
    places_[claim.pool] = {static_cast<std::size_t>(mode - modes_.begin()), mode->pools.size()};
    return &mode->pools.emplace_back(PoolFacts{.pool = claim.pool, .claims = {}, .why = {}});
  }

  std::vector<ModePools>& modes_;
  std::map<GroupKey, Place> places_;
  std::set<GroupKey> left_out_;
  std::set<std::uint64_t> seen_;
};

}  // namespace

PoolWatch::Facts PoolWatch::look(MatchDesk& desk, const MasterCore& core, TimePoint now) {
  if (last_ != nullptr && now - looked_at_ < fresh) return last_;
  looked_at_ = now;
  std::vector<ModePools> found;
  const auto& modes = desk.intake().modes();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i].rules == nullptr) continue;
    found.push_back({.mode = modes[i].name,
                     .statistics = desk.mode_statistics(i, core.counters(), now),
                     .pools = {}});
  }
  if (!found.empty()) {
    PoolSurvey survey{found};
    desk.each_old_ticket([&](TicketId ticket) { survey.take(core, ticket); });
  }
  last_ = std::make_shared<const std::vector<ModePools>>(std::move(found));
  return last_;
}

}  // namespace fixkeep::master
