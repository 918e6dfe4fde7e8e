// Finds workers that alone refuse the promises of one hold.
//
// An honest worker refuses a token below its promise to another holder. Then the other workers that
// this holder asked refuse too. The next round is above all seen tokens. A worker that refuses
// round after round while others promise will refuse the next one too.
//
// Thread rule: a value of one Group. Bounds: O(workers).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::master {

class PromiseRefusals {
 public:
  // Takes an answer to the round of this token. Tokens of later rounds are higher. Returns the
  // workers that have now refused `most` rounds.
  [[nodiscard]] std::vector<WorkerId> answered(const WorkerId& worker, FencingToken token,
                                               bool promised, std::uint32_t most) {
    if (token != round_) {
      round_ = token;
      refused_.clear();
      somebody_promised_ = false;
    }
    somebody_promised_ = somebody_promised_ || promised;
    if (!promised) refused_.insert(worker);
    if (!somebody_promised_) return {};
    std::vector<WorkerId> stubborn;
    for (const WorkerId& each : refused_) {
      if (++times_[each] >= most) stubborn.push_back(each);
    }
    refused_.clear();  // counted once a round
    return stubborn;
  }

 private:
  FencingToken round_;
  std::set<WorkerId> refused_;  // workers that refused in this round, not counted so far
  bool somebody_promised_ = false;
  std::map<WorkerId, std::uint32_t> times_;
};

}  // namespace fixkeep::master
