// Checks of a master's configuration across fields that concern its peers and its workers.
//
// Thread rule: free functions. Errors: as Problems, at the key that is to be changed.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::master {

// modes[].bands: each attribute once and not in modes[].attributes too; edges ascend.
void check_bands(const config::Document& document, config::Problems& problems);

// A holder's lease outlasts, twice over, the time in which a node that vanished is noticed. Two
// locks rely on it: with maekawa a master that lives notices a broken link within one lease; a new
// coordinator grants after a lease and a half, when the holders of the old one have to know that
// they are cut off.
void check_lease(const config::Document& document, config::Problems& problems);

// A master that has just started waits for its workers for as long as one may pause between two
// attempts to dial it; else it makes rooms that its workers have already.
void check_await_workers(const config::Document& document, config::Problems& problems);

// The collector's address is all there, and in plain HTTP.
void check_tracing(const config::Document& document, config::Problems& problems);

// `values` names only attributes of the mode, and lists only what a request can send.
void check_values(const config::Document& document, config::Problems& problems);

// No more warm rooms are wanted at the least than at the most.
void check_warm(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::master
