#include "common/lock/maekawa.hpp"

#include "common/lock/maekawa_impl.hpp"

namespace fixkeep::lock {

template class BasicMaekawa<AllMaekawaRules>;

}  // namespace fixkeep::lock
