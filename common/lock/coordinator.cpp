#include "common/lock/coordinator.hpp"

#include "common/lock/coordinator_impl.hpp"

namespace fixkeep::lock {

template class BasicCoordinator<AllCoordinatorRules>;

}  // namespace fixkeep::lock
