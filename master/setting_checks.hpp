// Checks of a master's configuration across fields that concern its peers and its workers.
//
// Thread rule: free functions. Errors: as Problems, at the key that is to be changed.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::master {

// A holder's lease outlasts, twice over, the time in which a node that vanished is noticed. Locks
// that rest on it: with maekawa "who lives notices a broken link within one lease", and with the
// coordinator a new one grants after a lease and a half, when the holders of the old one have to
// know that they are cut off.
void check_lease(const config::Document& document, config::Problems& problems);

// A master that has just started waits for its workers for as long as one may pause between two
// attempts to dial it; else it makes rooms that its workers have already.
void check_settle(const config::Document& document, config::Problems& problems);

// Values are listed of attributes only, and can be those of a request.
void check_values(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::master
