// Certificates that are revoked before they expire. Their authority names them in lists (CRLs, RFC
// 5280).
//
// An expired list is still used. A list from the future is used too, because our clock may be slow.
// An authority without a list has revoked nothing. Rejected alternative: refuse all certificates in
// these cases (RFC 5280). Then one forgotten renewal would stop a cluster. Thread rule: free
// functions. Bounds: as in certificate_files.hpp. Errors: one sentence that names the file and the
// necessary change.
#pragma once

#include <openssl/types.h>

#include <string>
#include <vector>

#include "common/net/tls/x509.hpp"

namespace fixkeep::net {

// Makes `store` refuse the certificates that `file` revokes. One of `authorities` must have signed
// each list. Returns the error, or an empty text.
[[nodiscard]] std::string add_revocations(const std::string& file,
                                          const std::vector<Certificate>& authorities,
                                          X509_STORE* store);

// Returns true if `store` revokes the certificate that the other side has shown.
[[nodiscard]] bool has_revoked_peer(SSL* connection, X509_STORE* store);

}  // namespace fixkeep::net
