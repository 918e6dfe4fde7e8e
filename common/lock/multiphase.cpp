#include "common/lock/multiphase.hpp"

#include "common/lock/multiphase_bytes.hpp"
#include "common/lock/multiphase_impl.hpp"

namespace fixkeep::lock {

template class BasicMultiphase<AllAmendments>;

}  // namespace fixkeep::lock
