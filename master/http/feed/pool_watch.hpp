// The feed shows the waiting claims in the pools of a master: its own claims by mode with rules and
// the reason of the oldest one.
//
// A master always knows its own claims. Others lend theirs for the length of a decision. Here they
// are known only by the counts in the explanation of an own claim.
//
// No player is named: people may look at rooms without knowing their players. Thread rule: the
// master's thread. Its results do not change: any thread reads them. Bounds: the modes, pools_most
// pools, claims_most claims of each, MatchDesk::each_old_ticket tickets; once in `fresh`. Errors:
// none.
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
    std::vector<std::int64_t> numbers;  // order of the rules

    friend bool operator==(const Claim&, const Claim&) = default;
  };
  GroupKey pool;
  std::size_t requests = 0;   // requests that wait here
  std::size_t decided = 0;    // requests that wait for a room or a seat: see PoolClaim::undecided
  std::vector<Claim> claims;  // undecided, the oldest first
  WhyWaits why;               // the first of them waits
};

struct ModePools {
  ModeName mode;
  std::string statistics;        // the body of GET /v1/modes/{mode}/statistics
  std::vector<PoolFacts> pools;  // the one that has the oldest claim first
  std::size_t more = 0;          // pools that are left out
};

class PoolWatch {
 public:
  static constexpr Duration fresh = std::chrono::seconds{1};
  static constexpr std::size_t pools_most = 8;  // limit over all modes
  static constexpr std::size_t claims_most = 200;

  using Facts = std::shared_ptr<const std::vector<ModePools>>;

  // An entry for each mode with rules in the order of the settings.
  [[nodiscard]] Facts look(MatchDesk& desk, const MasterCore& core, TimePoint now);

 private:
  Facts last_;
  TimePoint looked_at_;
};

}  // namespace fixkeep::master
