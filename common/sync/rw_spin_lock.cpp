#include "common/sync/rw_spin_lock.hpp"

#include <boost/throw_exception.hpp>

#include "common/sync/rw_spin_lock_rules.hpp"

namespace fixkeep::sync {

void throw_exception_from_error(const LockError& error, const boost::source_location& where) {
  boost::throw_with_location(boost::system::system_error{error.code, std::string{error.lock}},
                             where);
}

template class BasicRwSpinLock<RwSpinRules>;

}  // namespace fixkeep::sync
