#include "common/lock/mesh/maekawa.hpp"

#include "common/lock/mesh/maekawa_rules.hpp"

namespace fixkeep::lock {

template class BasicMaekawa<AllMaekawaRules>;

}  // namespace fixkeep::lock
