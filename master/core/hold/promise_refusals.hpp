// Finds workers that refuse the promises of one hold while other workers promise.
//
// An honest worker refuses only tokens below its promise to another holder. The next round has a
// token above all seen tokens, so an honest worker promises then. A worker that refuses round after
// round while others promise will also refuse the next round.
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
  // Adds an answer to the round with this token. Later rounds have higher tokens. Returns the
  // workers that have now refused `most` rounds in which others promised.
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
    refused_.clear();  // each worker counts once per round
    return stubborn;
  }

 private:
  FencingToken round_;
  std::set<WorkerId> refused_;  // workers whose refusal in this round is not counted yet
  bool somebody_promised_ = false;
  std::map<WorkerId, std::uint32_t> times_;
};

}  // namespace fixkeep::master
