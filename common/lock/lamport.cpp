#include "common/lock/lamport.hpp"

#include "common/lock/lamport_impl.hpp"

namespace fixkeep::lock {

template class BasicLamport<LamportRules>;

}  // namespace fixkeep::lock
