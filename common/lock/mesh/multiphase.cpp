#include "common/lock/mesh/multiphase.hpp"

#include "common/lock/mesh/multiphase_bytes.hpp"
#include "common/lock/mesh/multiphase_rules.hpp"

namespace fixkeep::lock {

template class BasicMultiphase<AllAmendments>;

}  // namespace fixkeep::lock
