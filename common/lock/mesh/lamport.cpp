#include "common/lock/mesh/lamport.hpp"

#include "common/lock/mesh/lamport_rules.hpp"

namespace fixkeep::lock {

template class BasicLamport<LamportRules>;

}  // namespace fixkeep::lock
