// Which certificates count no more though they have not expired: what is in the lists of revoked
// certificates (CRLs, RFC 5280) that their authority has signed.
//
// A list that has lapsed counts on, and so does one that a slow clock takes for a later one; an
// authority without a list has revoked nothing. Rejected: to refuse everybody then, as RFC 5280
// asks, since a list that nobody renewed would stop a whole cluster.
// Thread rule: free functions. Bounds: those of certificate_files.hpp. Errors: one sentence that
// names the file and says what to change.
#pragma once

#include <openssl/types.h>

#include <string>
#include <vector>

#include "common/net/tls/x509.hpp"

namespace fixkeep::net {

// From now on what the lists in `file` revoke fails to verify in `store`. A list that none of
// `authorities` has signed is an error. Empty: it is done.
[[nodiscard]] std::string add_revocations(const std::string& file,
                                          const std::vector<Certificate>& authorities,
                                          X509_STORE* store);

// Whether the certificate that the other side of a connection has shown is revoked in `store`.
[[nodiscard]] bool has_revoked_peer(SSL* connection, X509_STORE* store);

}  // namespace fixkeep::net
