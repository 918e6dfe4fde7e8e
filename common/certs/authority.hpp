// The certificate authority of one cluster.
//
// An authority is a self-signed certificate with the cluster's name. Each node has its own key, and
// a certificate with the URI of common/net/tls/identity.hpp. Keys use the curve P-256. With the
// authority's key anyone can impersonate any node. The key is only needed to make certificates, so
// never store it on a node. Thread rule: values with one owner. Errors: one sentence that names the
// necessary change.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "common/net/tls/identity.hpp"

namespace fixkeep::certs {

struct Validity {
  std::chrono::sys_seconds from;
  std::chrono::sys_seconds until;
};

// Certificate and key as PEM. The destructor wipes the key's text.
struct KeyPair {
  std::string certificate;
  std::string key;

  KeyPair() = default;
  ~KeyPair();
  KeyPair(KeyPair&&) = default;
  KeyPair& operator=(KeyPair&&) = default;
};

class Authority {
 public:
  // Makes a new authority.
  [[nodiscard]] static Authority make(const std::string& cluster, Validity validity);
  // Reads the result of to_pair().
  [[nodiscard]] static std::variant<Authority, std::string> read(const KeyPair& pair);

  Authority(Authority&&) noexcept;
  Authority& operator=(Authority&&) noexcept;
  ~Authority();

  [[nodiscard]] const std::string& cluster() const { return cluster_; }
  [[nodiscard]] std::chrono::sys_seconds expires_at() const;
  [[nodiscard]] KeyPair to_pair() const;
  // Makes a new key and its certificate for `node`. The certificate names node.cluster, even if the
  // authority belongs to another cluster.
  [[nodiscard]] KeyPair certify(const net::CertifiedNode& node, Validity validity) const;
  // Returns the PEM list of revoked certificates: the entries of `list`, and in addition `serials`
  // (hexadecimal). `list` is empty or an earlier result. The new list expires together with the
  // authority. No value if `list` is not a list of this authority.
  [[nodiscard]] std::optional<std::string> revoke(const std::string& list,
                                                  const std::set<std::string>& serials,
                                                  std::chrono::sys_seconds now) const;

 private:
  struct Parts;
  Authority(std::string cluster, std::unique_ptr<Parts> parts);

  std::string cluster_;
  std::unique_ptr<Parts> parts_;
};

// The facts stated in a certificate.
struct CertificateFacts {
  net::CertifiedNode node;
  std::chrono::sys_seconds expires_at;
  std::string serial;  // hexadecimal
};
// Reads a PEM certificate. Returns a sentence if it is not a certificate of a FIX Keep node.
[[nodiscard]] std::variant<CertificateFacts, std::string> facts_of(const std::string& certificate);

}  // namespace fixkeep::certs
