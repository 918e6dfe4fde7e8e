// The section "identity" of a master's configuration: the callers that may ask for seats.
//
// On the loopback device players need no token. Elsewhere there must be tokens or keys unless the
// configuration explicitly lets all callers name any player.
// Thread rule: free functions. Errors: as problems of the configuration.
#pragma once

#include "common/config/loader.hpp"
#include "master/http/identity/options.hpp"

namespace fixkeep::master {

// Reads the part in the configuration itself. REQUIRES: `document` is valid.
[[nodiscard]] IdentityOptions read_identity(const config::Document& document);

// Fills in the keys of tokens from their files and whether nothing need be shown. Useless entries
// of a file are doubts as long as another one is of use.
void configure_identity(const config::Document& document, IdentityOptions& options,
                        config::Problems& problems, config::Problems& doubts);

// A word for net::Peer::admits: it must be the same at all masters and stays while keys change.
[[nodiscard]] std::string admits_of(const IdentityOptions& options);

// Shows it in the form of a configuration without the secret.
[[nodiscard]] config::Json identity_json(const IdentityOptions& options);

}  // namespace fixkeep::master
