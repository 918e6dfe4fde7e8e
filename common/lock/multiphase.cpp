#include "common/lock/multiphase_impl.hpp"

namespace fixkeep::lock {

template class BasicMultiphase<AllAmendments>;

}  // namespace fixkeep::lock
