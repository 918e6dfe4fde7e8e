// Certificates that are revoked before they expire. Lists (CRLs, RFC 5280) of their authority name
// them.
//
// A lapsed list still counts. So does one in the future for a slow clock. An authority without a
// list has revoked nothing. Rejected: to refuse all certificates then (RFC 5280). One forgotten
// renewal would stop a cluster.
// Thread rule: free functions. Bounds: as in certificate_files.hpp. Errors: one sentence with the
// file and the change to make.
#pragma once

#include <openssl/types.h>

#include <string>
#include <vector>

#include "common/net/tls/x509.hpp"

namespace fixkeep::net {

// From now on certificates revoked in `file` fail to verify in `store`. One of `authorities` must
// have signed each list. Returns the error or an empty text.
[[nodiscard]] std::string add_revocations(const std::string& file,
                                          const std::vector<Certificate>& authorities,
                                          X509_STORE* store);

// Whether the certificate that the other side of a connection has shown is revoked in `store`.
[[nodiscard]] bool has_revoked_peer(SSL* connection, X509_STORE* store);

}  // namespace fixkeep::net
