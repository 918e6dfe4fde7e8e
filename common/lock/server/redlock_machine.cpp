#include "common/lock/server/redlock_machine.hpp"

#include "common/lock/server/redlock_rules.hpp"

namespace fixkeep::lock {

template class BasicRedlock<AllChecks>;

}  // namespace fixkeep::lock
