// The reason of a pool's claim to wait, by the last decision that explained it.
//
// Thread rule: values; what they point to does not change. Errors: none.
#pragma once

#include <memory>

#include "common/base/time.hpp"
#include "common/wire/pool_messages.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {

struct WhyWaits {
  std::shared_ptr<const plan::Rules> rules;          // names what the explanation counts
  std::shared_ptr<const wire::Explained> explained;  // null: no decision has said it yet
  TimePoint at;                                      // time at which this master learned it
};

}  // namespace fixkeep::master
