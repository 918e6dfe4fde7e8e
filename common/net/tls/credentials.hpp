// Credentials prove this node's name by a certificate, and check other nodes: TLS 1.3 with
// certificates of both sides, signed by the cluster's own authority.
//
// A certificate names its owner in one URI, similar to SPIFFE's: fixkeep://CLUSTER/ROLE/NAME. The
// certificate's host names, addresses and common name are not used. So a node may move, and a
// stolen key can fake only this name and role.
//
// Thread rule: immutable after loading. A renewal loads a new object; existing connections keep
// their object. Bounds: as in certificate_files.hpp. Errors of load(): one sentence that names the
// file and the necessary change. Errors of handshakes: Errc::certificate_….
#pragma once

#include <openssl/types.h>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.hpp"
#include "common/net/tls/identity.hpp"

namespace fixkeep::net {

inline constexpr std::string_view link_protocol = "fixkeep-link/1";  // name in ALPN

class TlsCredentials {
 public:
  using Loaded = std::variant<std::shared_ptr<TlsCredentials>, std::string>;
  // `self`: the owner of the certificate.
  [[nodiscard]] static Loaded load(const TlsFiles& files, const CertifiedNode& self);

  [[nodiscard]] boost::asio::ssl::context& context() { return context_; }
  // Returns the time when the certificate or its authority expires, whichever is earlier.
  [[nodiscard]] std::chrono::sys_seconds expires_at() const { return expires_at_; }
  // Returns true if the certificate that the other side has shown is revoked now.
  [[nodiscard]] bool revokes_peer_of(SSL* connection) const;

 private:
  TlsCredentials();
  [[nodiscard]] std::string take(const TlsFiles& files, const CertifiedNode& self);

  boost::asio::ssl::context context_;
  std::chrono::sys_seconds expires_at_{};
  bool has_revocations_ = false;
};

// Returns the node on the other side of a finished handshake.
[[nodiscard]] Result<CertifiedNode> peer_of(SSL* connection);
// Returns the reason why a handshake, or the first read after it, failed. In TLS 1.3 only this read
// tells the dialler that its certificate was refused. Other errors are returned unchanged.
[[nodiscard]] boost::system::error_code reason_of(SSL* connection, boost::system::error_code error);
// Returns bytes that only the two ends of this connection know: RFC 5705.
[[nodiscard]] std::string channel_key(SSL* connection);

}  // namespace fixkeep::net
