// KeptPools stores which pools of warm rooms each master wants.
//
// Thread rule: one owner. Bounds: one entry for each connected master, with the pools of one
// message. Errors: none.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

class KeptPools {
 public:
  void keep(MasterId master, const std::vector<GroupKey>& pools) {
    kept_[master] = {pools.begin(), pools.end()};
  }
  // Returns false if nothing was stored for the master.
  [[nodiscard]] bool forget(MasterId master) { return kept_.erase(master) > 0; }
  [[nodiscard]] bool keeps(const GroupKey& pool) const {
    return std::any_of(kept_.begin(), kept_.end(),
                       [&](const auto& kept) { return kept.second.contains(pool); });
  }

 private:
  std::map<MasterId, std::set<GroupKey>> kept_;
};

}  // namespace fixkeep::worker
