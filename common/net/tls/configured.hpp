// The section "tls" of a configuration: how the links of a node are kept from others.
//
// On the loopback device links may be plain. Elsewhere they need certificates, unless the
// configuration says in so many words that everybody on that network is trusted.
// Thread rule: free functions. Errors: as problems of the configuration.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/config/loader.hpp"
#include "common/net/link/hub.hpp"

namespace fixkeep::net {

// Fills in tls_files and tls of `links`, whose cluster and self are known. `addresses`: the keys of
// those that links lead to, or listen on.
void configure_tls(const config::Document& document, const std::vector<std::string>& addresses,
                   LinkOptions& links, config::Problems& problems);

// A name, or an address, that never leaves this machine.
[[nodiscard]] bool is_on_loopback(const std::string& host);

}  // namespace fixkeep::net
