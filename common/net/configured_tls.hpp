// Reads the sections "tls", "http.tls", "admin" and "lock.tls" of a configuration. These sections
// protect a node's links and its traffic with clients and lock servers.
//
// On the loopback device links may be plain. On other devices links need certificates, unless the
// configuration states that the whole network is trusted. Thread rule: free functions. Errors: as
// problems of the configuration.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/config/loader.hpp"
#include "common/net/http/operators.hpp"
#include "common/net/link/hub.hpp"
#include "common/net/tls/server_trust.hpp"

namespace fixkeep::net {

// Sets tls_files and tls of `links`. `addresses`: the keys of the addresses that links dial or
// listen on. REQUIRES: `links.cluster` and `links.self` are set.
void configure_tls(const config::Document& document, const std::vector<std::string>& addresses,
                   LinkOptions& links, config::Problems& problems);

// Reads the section `section`.tls: sets the paths of certificate and key, and loads both. Null:
// none is given, or a problem was reported.
[[nodiscard]] std::shared_ptr<HttpsCertificate> load_certificate(const config::Document& document,
                                                                 const std::string& section,
                                                                 HttpsFiles& files,
                                                                 config::Problems& problems);
// Sets tls_files and tls of `http` from the section `section`: "http" or "admin".
void configure_https(const config::Document& document, const std::string& section,
                     HttpOptions& http, config::Problems& problems);

// Sets token, tls_files and tls of `admin`. A listener that is not on the loopback device needs a
// token or authorities of clients. On the loopback device, a missing token causes only a warning (a
// doubt): then every program of the machine, even a game, can act as an operator. A token from the
// examples also causes a warning. REQUIRES: the fields of admin.http are already read.
void configure_admin(const config::Document& document, AdminOptions& admin,
                     config::Problems& problems, config::Problems& doubts);

// Returns true for "localhost" and for an address of the loopback device.
[[nodiscard]] bool is_on_loopback(const std::string& host);

// Sets `files` and `trust` from "lock.tls": they decide which lock servers a master trusts.
void configure_lock_tls(const config::Document& document, TlsFiles& files,
                        std::shared_ptr<ServerTrust>& trust, config::Problems& problems);

}  // namespace fixkeep::net
