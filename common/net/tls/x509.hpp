// Owners of OpenSSL's certificate objects, and functions that read their fields. Thread rule: free
// functions. Bounds: the caller's texts. Errors: null or no value.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/net/tls/identity.hpp"

namespace fixkeep::net {

template <auto release>
struct FreedBy {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};
using Bio = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using RevocationList = std::unique_ptr<X509_CRL, FreedBy<X509_CRL_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;

[[nodiscard]] Bio memory_of(const std::string& text);  // REQUIRES: the text outlives the result
// Returns the certificates in a text. Omits unreadable certificates, because other people make the
// bundles of authorities.
[[nodiscard]] std::vector<Certificate> certificates_in(const std::string& pem);
// `unread` counts unreadable lists: the certificates that they revoke are unknown.
[[nodiscard]] std::vector<RevocationList> revocation_lists_in(const std::string& pem,
                                                              std::size_t& unread);
[[nodiscard]] PrivateKey private_key_in(const std::string& pem);  // null: no key

[[nodiscard]] std::chrono::sys_seconds end_of(const X509* certificate);
[[nodiscard]] std::string serial_of(const X509* certificate);       // hexadecimal
[[nodiscard]] std::string common_name_of(const X509* certificate);  // empty: no common name
// Returns the one node that the certificate's URI names. No value: no node, or two nodes.
[[nodiscard]] std::optional<CertifiedNode> node_of(const X509* certificate);

}  // namespace fixkeep::net
