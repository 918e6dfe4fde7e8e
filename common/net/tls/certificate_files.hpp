// A certificate and its key, as stored in files.
//
// Thread rule: a value and free functions. Bounds: a file has at most `certificate_file_bytes`.
// Errors: one sentence that names the file and the necessary change.
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/net/tls/x509.hpp"

namespace fixkeep::net {

inline constexpr std::size_t certificate_file_bytes = std::size_t{1} << 20U;

struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};
using CertificateStack = std::unique_ptr<STACK_OF(X509), FreeStack>;

struct CertifiedKey {
  std::vector<Certificate> chain;  // the node's own first, then the chain up to its authority
  PrivateKey key;

  [[nodiscard]] X509* own() const { return chain.front().get(); }
  [[nodiscard]] CertificateStack between() const;
  // Sets this certificate for a context's connections. Returns false if OpenSSL refuses it.
  [[nodiscard]] bool put_into(SSL_CTX* context) const;
};

// Refuses a key that does not fit the certificate. Also refuses a key file that is open to users
// other than its owner. Exception: a group of this process may read the file.
[[nodiscard]] std::variant<CertifiedKey, std::string> read_certified_key(
    const std::string& certificate_file, const std::string& key_file);

[[nodiscard]] std::variant<std::vector<Certificate>, std::string> read_certificates(
    const std::string& file);
[[nodiscard]] std::variant<std::vector<RevocationList>, std::string> read_revocation_lists(
    const std::string& file);

}  // namespace fixkeep::net
