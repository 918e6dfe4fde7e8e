// Certificates that are revoked before they expire, by lists (CRLs, RFC 5280) of their authority.
//
// A lapsed list still counts, and so does one that is in the future for a slow clock. An authority
// without a list has revoked nothing. Rejected: to refuse all certificates then, as RFC 5280 asks,
// since one forgotten renewal would stop a whole cluster.
// Thread rule: free functions. Bounds: as in certificate_files.hpp. Errors: one sentence with the
// file and the change to make.
#pragma once

#include <openssl/types.h>

#include <string>
#include <vector>

#include "common/net/tls/x509.hpp"

namespace fixkeep::net {

// From now on certificates revoked in `file` fail to verify in `store`. One of `authorities` must
// have signed each list. Returns the error, or an empty text.
[[nodiscard]] std::string add_revocations(const std::string& file,
                                          const std::vector<Certificate>& authorities,
                                          X509_STORE* store);

// Whether the certificate that the other side of a connection has shown is revoked in `store`.
[[nodiscard]] bool has_revoked_peer(SSL* connection, X509_STORE* store);

}  // namespace fixkeep::net
