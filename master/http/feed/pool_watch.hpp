// Collects for the feed this master's own claims that wait in pools, for each mode with rules. Also
// collects why the oldest claim of each pool waits.
//
// A master always knows its own claims. Other masters lend their claims only during a decision.
// Their claims appear here only as counts, in the explanation of a claim of this master.
//
// No player is named, because a reader of the feed is allowed to see rooms, but not who plays.
// Thread rule: the master's thread. The results do not change, so any thread may read them. Bounds:
// one entry for each mode; at most `pools_most` pools with `claims_most` claims each. look()
// returns its last result until this is older than `fresh`; then it visits the tickets of
// MatchDesk::each_old_ticket. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/seam/why_waits.hpp"

namespace fixkeep::master {

class MasterCore;
class MatchDesk;

struct PoolFacts {
  struct Claim {
    TimePoint since;
    std::uint32_t players = 1;
    std::vector<std::int64_t> numbers;  // in the order of the rules

    friend bool operator==(const Claim&, const Claim&) = default;
  };
  GroupKey pool;
  std::size_t requests = 0;   // requests that wait at this master
  std::size_t decided = 0;    // requests with PoolClaim::undecided false
  std::vector<Claim> claims;  // undecided claims, oldest first
  WhyWaits why;               // why the first claim waits
};

struct ModePools {
  ModeName mode;
  std::string statistics;        // the body of GET /v1/modes/{mode}/statistics
  std::vector<PoolFacts> pools;  // the pool with the oldest claim first
  std::size_t more = 0;          // number of pools left out
};

class PoolWatch {
 public:
  static constexpr Duration fresh = std::chrono::seconds{1};
  static constexpr std::size_t pools_most = 8;  // limit over all modes
  static constexpr std::size_t claims_most = 200;

  using Facts = std::shared_ptr<const std::vector<ModePools>>;

  // Returns an entry for each mode with rules, in the order of the settings.
  [[nodiscard]] Facts look(MatchDesk& desk, const MasterCore& core, TimePoint now);

 private:
  Facts last_;
  TimePoint looked_at_;
};

}  // namespace fixkeep::master
