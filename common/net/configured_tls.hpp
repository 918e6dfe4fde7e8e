// The sections "tls", "http.tls", "admin" and "lock.tls" of a configuration: they protect the links
// of a node and its traffic with clients and lock servers.
//
// On the loopback device links may be plain. Elsewhere they need certificates unless the
// configuration states that the whole network is trusted.
// Thread rule: free functions. Errors: as problems of the configuration.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/config/loader.hpp"
#include "common/net/http/operators.hpp"
#include "common/net/link/hub.hpp"
#include "common/net/tls/server_trust.hpp"

namespace fixkeep::net {

// Fills in tls_files and tls of `links` with known cluster and self. `addresses`: the keys of the
// addresses that links dial or listen on.
void configure_tls(const config::Document& document, const std::vector<std::string>& addresses,
                   LinkOptions& links, config::Problems& problems);

// Fills in tls_files and tls of `http` from its section "http" or "admin".
void configure_https(const config::Document& document, const std::string& section,
                     HttpOptions& http, config::Problems& problems);

// Fills in token, tls_files and tls of `admin`. Off the loopback device there must be a token or
// authorities of clients. On it a missing token is a doubt: every program of the machine (even a
// game) could be an operator. The token of an example is a doubt too. REQUIRES: the fields of
// admin.http are read.
void configure_admin(const config::Document& document, AdminOptions& admin,
                     config::Problems& problems, config::Problems& doubts);

// A name or an address inside this machine.
[[nodiscard]] bool is_on_loopback(const std::string& host);

// Fills in `files` and `trust` from "lock.tls": which lock servers a master believes.
void configure_lock_tls(const config::Document& document, TlsFiles& files,
                        std::shared_ptr<ServerTrust>& trust, config::Problems& problems);

}  // namespace fixkeep::net
