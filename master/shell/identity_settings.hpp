// The section "identity" of a master's configuration: which callers may request seats.
//
// On the loopback device players need no token. On other devices tokens or keys are required,
// unless the configuration explicitly lets all callers name any player.
// Thread rule: free functions. Errors: config::Problems.
#pragma once

#include "common/config/fields.hpp"
#include "common/config/loader.hpp"
#include "master/http/identity/options.hpp"

namespace fixkeep::master {

// Describes the section. The files that the section names are read later, by configure_identity().
void describe_identity(config::Fields& fields, IdentityOptions& options);

// Reads the keys for tokens from their files, and decides whether callers need a token or key. If a
// file has a usable entry, its unusable entries go to `doubts`, not to `problems`.
void configure_identity(const config::Document& document, IdentityOptions& options,
                        config::Problems& problems, config::Problems& doubts);

// Returns the text for net::Peer::admits. All masters must have the same text. New keys do not
// change the text.
[[nodiscard]] std::string admits_of(const IdentityOptions& options);

}  // namespace fixkeep::master
