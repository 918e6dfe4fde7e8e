#include "tests/unit/common/engine/redlock_variants.hpp"

#include "common/engine/redlock_machine_impl.hpp"

namespace fixkeep::engine {

template class BasicRedlock<NoOwnerCheck>;
template class BasicRedlock<NoValidityCheck>;

}  // namespace fixkeep::engine
