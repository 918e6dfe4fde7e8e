#include "common/engine/redlock_machine.hpp"

#include "common/engine/redlock_machine_impl.hpp"

namespace fixkeep::engine {

template class BasicRedlock<AllChecks>;

}  // namespace fixkeep::engine
