#include "common/lock/mesh/coordinator.hpp"

#include "common/lock/mesh/coordinator_rules.hpp"

namespace fixkeep::lock {

template class BasicCoordinator<AllCoordinatorRules>;

}  // namespace fixkeep::lock
