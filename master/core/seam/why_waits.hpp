// The reason why a claim of a pool waits, from the last decision that explained it.
//
// Thread rule: values; the objects behind the pointers do not change. Errors: none.
#pragma once

#include <memory>

#include "common/base/time.hpp"
#include "common/wire/pool_messages.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {

struct WhyWaits {
  std::shared_ptr<const plan::Rules> rules;          // the rules that the explanation names
  std::shared_ptr<const wire::Explained> explained;  // null: no decision has explained it yet
  TimePoint at;                                      // time when the explanation arrived
};

}  // namespace fixkeep::master
