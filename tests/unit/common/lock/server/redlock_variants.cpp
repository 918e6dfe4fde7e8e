#include "tests/unit/common/lock/server/redlock_variants.hpp"

#include "common/lock/server/redlock_rules.hpp"

namespace fixkeep::lock {

template class BasicRedlock<NoOwnerCheck>;
template class BasicRedlock<NoValidityCheck>;

}  // namespace fixkeep::lock
