// `fixkeep-lab lock` tries a lock that is not part of FIX Keep: any program that uses the protocol
// of docs/own-lock.md.
//
// Thread rule: call from the main thread of a single-threaded process; blocks until done. Errors:
// an exit code (see options.hpp); the reason is written to `err`.
#pragma once

#include <iosfwd>

#include "client-sim/options.hpp"
#include "lab/own_lock/options.hpp"

namespace fixkeep::client_sim {

// `options` names the files of the report.
[[nodiscard]] int run_own_lock(const Options& options, const OwnLockOptions& lock,
                               std::ostream& out, std::ostream& err);

}  // namespace fixkeep::client_sim
