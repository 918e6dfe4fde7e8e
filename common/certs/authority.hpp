// The authority of one cluster and its certificates for nodes.
//
// An authority is a self-signed certificate with the cluster's name. Each node has a key of its own
// and a certificate with the URI of common/net/tls/identity.hpp. Keys are of the curve P-256. The
// holder of the authority's key can be any node. The key only makes certificates. It does not
// belong on a node. Thread rule: values with one owner. Errors: one sentence with the change to
// make.
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

// Certificate and key as PEM. The text of the key is wiped when the object ends.
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
  // A new one.
  [[nodiscard]] static Authority make(const std::string& cluster, Validity validity);
  // Reads what to_pair() has written.
  [[nodiscard]] static std::variant<Authority, std::string> read(const KeyPair& pair);

  Authority(Authority&&) noexcept;
  Authority& operator=(Authority&&) noexcept;
  ~Authority();

  [[nodiscard]] const std::string& cluster() const { return cluster_; }
  [[nodiscard]] std::chrono::sys_seconds expires_at() const;
  [[nodiscard]] KeyPair to_pair() const;
  // Makes a new key and its certificate for `node.cluster` even if ours is another.
  [[nodiscard]] KeyPair certify(const net::CertifiedNode& node, Validity validity) const;
  // The PEM list of revoked certificates: those of `list` and these hexadecimal serials. `list` is
  // empty or a result of this function. It lapses when we do. No value: `list` is not ours.
  [[nodiscard]] std::optional<std::string> revoke(const std::string& list,
                                                  const std::set<std::string>& serials,
                                                  std::chrono::sys_seconds now) const;

 private:
  struct Parts;
  Authority(std::string cluster, std::unique_ptr<Parts> parts);

  std::string cluster_;
  std::unique_ptr<Parts> parts_;
};

// A certificate in PEM says this.
struct CertificateFacts {
  net::CertifiedNode node;
  std::chrono::sys_seconds expires_at;
  std::string serial;  // hexadecimal
};
// The text says why it is not ours.
[[nodiscard]] std::variant<CertificateFacts, std::string> facts_of(const std::string& certificate);

}  // namespace fixkeep::certs
